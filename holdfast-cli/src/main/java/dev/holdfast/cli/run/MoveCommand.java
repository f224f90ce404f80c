package dev.holdfast.cli.run;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.engine.store.Definitions;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves a run to another version of its workflow. */
@Command(
    name = "move",
    description = "Move an open run to another version of its workflow.",
    footer = "'holdfast workflows WORKFLOW' lists the stored versions with their hashes.")
public final class MoveCommand extends OneRunCommand {

  @Option(
      names = "--to",
      required = true,
      paramLabel = "HASH",
      description = "The hash of the graph to move to, or the beginning of it.")
  @SuppressWarnings("NullAway.Init")
  private String to;

  @Option(names = "--dry-run", description = "Print what would differ, and change nothing.")
  private boolean dryRun;

  @Override
  protected int ask(Session session) {
    Run run = find(session);
    String hash = hash(run.workflow(), session);
    List<String> differences = session.client().runs().move(id(), hash, dryRun);
    differences.forEach(session.out()::println);
    String what = differences.isEmpty() ? "; nothing differs" : "";
    return session.report(
        true,
        dryRun
            ? "Nothing was changed%s.".formatted(what)
            : "Run %s is moved to %s%s.".formatted(id(), hash, what));
  }

  private String hash(String workflow, Session session) {
    List<String> known =
        session.store().runs().definitions().versions(workflow).stream()
            .map(Definitions.Stored::hash)
            .toList();
    List<String> meant = known.stream().filter(hash -> hash.startsWith(to)).toList();
    if (meant.size() != 1) {
      throw new HoldfastException(
          "%s version of workflow '%s' has a hash that starts with '%s'; nothing was changed. Its versions are %s."
              .formatted(
                  meant.isEmpty() ? "No" : "More than one",
                  workflow,
                  to,
                  String.join(", ", known)));
    }
    return meant.getFirst();
  }
}
