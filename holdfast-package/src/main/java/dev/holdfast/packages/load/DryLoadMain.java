package dev.holdfast.packages.load;

import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.workflow.WorkflowCatalog;
import dev.holdfast.packages.scan.Finding;
import dev.holdfast.packages.scan.LoadedModule;
import dev.holdfast.packages.scan.ModulePath;
import dev.holdfast.packages.scan.ModuleScan;
import dev.holdfast.packages.scan.WorkflowReport;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The program of a dry load: loads a package, prints what it contains, and ends.
 *
 * <p>What it prints starts with a word that it reads from its input, so that text which the package
 * prints is not taken for the result.
 */
final class DryLoadMain {
  private static final int WORD = 32;

  private DryLoadMain() {}

  /** Loads the jar that is given. */
  public static void main(String[] arguments) throws IOException {
    byte[] word = new FileInputStream(FileDescriptor.in).readNBytes(WORD);
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    System.setOut(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
    ModuleScan scan = new ModuleScan();
    try (ModulePath path = ModulePath.ofPackage("the package", Path.of(arguments[0]))) {
      scan.load(path);
      String json = json(scan, WorkflowReport.of(scan));
      out.write(word);
      out.write(json.getBytes(StandardCharsets.UTF_8));
      out.write('\n');
      out.flush();
    }
    // Threads that the package has started would keep the process alive.
    Runtime.getRuntime().halt(0);
  }

  private static String json(ModuleScan scan, WorkflowReport report) {
    JsonMapper mapper = JsonMapper.builder().build();
    ObjectNode json = mapper.createObjectNode();
    ArrayNode tasks = json.putArray("tasks");
    scan.modules().stream().map(LoadedModule::tasks).forEach(each -> each.forEach(tasks::add));
    ObjectNode workflows = json.putObject("workflows");
    report.graphs().forEach((name, graph) -> workflows.put(name, graph.hash()));
    ArrayNode graphs = json.putArray("graphs");
    if (report.count(Finding.Severity.ERROR) == 0) {
      scan.modules().stream()
          .flatMap(module -> module.workflows().stream())
          .flatMap(workflow -> WorkflowCatalog.definitions(workflow, new JsonCodec()).stream())
          .distinct()
          .forEach(definition ->
              graphs
                  .addObject()
                  .put("hash", definition.hash())
                  .put("name", definition.name())
                  .put("format", definition.format())
                  .put("body", definition.body()));
    }
    // Also warnings: steps of a package run in the package, so a task of another is not found.
    ArrayNode errors = json.putArray("errors");
    for (Finding finding : report.findings()) {
      String place = finding.place() == null ? "" : " At %s.".formatted(finding.place());
      String text = "%s: %s%s".formatted(finding.subject(), finding.message(), place);
      errors.add(text);
    }
    return json.toString();
  }
}
