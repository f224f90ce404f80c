package dev.holdfast.cli.workflow;

import dev.holdfast.cli.print.Json;
import dev.holdfast.packages.scan.Finding;
import dev.holdfast.packages.scan.ModulePath;
import dev.holdfast.packages.scan.ModuleScan;
import dev.holdfast.packages.scan.WorkflowReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks the workflows of class paths. */
@Command(
    name = "check",
    description = {
      "Check the workflows of jars, without a database.",
      "Finds modules (dev.holdfast.api.run.TaskModule) with ServiceLoader, builds all their"
          + " workflows and prints all problems."
    },
    footer = "The exit code is 1 if there are errors. Warnings do not change it.")
public final class CheckCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "CLASSPATH",
      description =
          "A jar, a folder of classes, or a class path as for 'java -cp'. Each is loaded by itself:"
              + " give a jar together with the jars that it needs.")
  private List<String> paths = List.of();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    WorkflowReport report = report(paths, spec);
    PrintWriter out = spec.commandLine().getOut();
    long errors = report.count(Finding.Severity.ERROR);
    if (json) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("workflows", report.workflows());
      all.put("errors", errors);
      all.put("warnings", report.count(Finding.Severity.WARNING));
      all.put("findings", report.findings());
      Json.print(all, out);
    } else {
      report.findings().forEach(finding -> print(finding, out));
      out.println(summary(report));
      out.flush();
    }
    return errors == 0 ? 0 : 1;
  }

  /** Loads class paths and reports what they contain. */
  static WorkflowReport report(List<String> paths, CommandSpec spec) throws IOException {
    List<ModulePath> open = new ArrayList<>();
    try {
      for (String path : paths) {
        open.add(new ModulePath(path));
      }
      ModuleScan scan = new ModuleScan();
      open.forEach(scan::load);
      return WorkflowReport.of(scan);
    } catch (IllegalArgumentException missing) {
      throw new ParameterException(
          spec.commandLine(), String.valueOf(missing.getMessage()), missing);
    } finally {
      for (ModulePath path : open) {
        path.close();
      }
    }
  }

  static void print(Finding finding, PrintWriter out) {
    out.printf(
        "%s: %s: %s%n",
        finding.severity().name().toLowerCase(Locale.ROOT), finding.subject(), finding.message());
    if (finding.place() != null) {
      out.printf("  at %s%n", finding.place());
    }
    out.println();
  }

  private static String summary(WorkflowReport report) {
    long warnings = report.count(Finding.Severity.WARNING);
    return "%s, %s%s"
        .formatted(
            counted(report.workflows(), "workflow"),
            counted(report.count(Finding.Severity.ERROR), "problem"),
            warnings == 0 ? "" : ", " + counted(warnings, "warning"));
  }

  private static String counted(long count, String what) {
    return "%d %s%s".formatted(count, what, count == 1 ? "" : "s");
  }
}
