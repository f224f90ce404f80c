package dev.holdfast.cli.run;

import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.RunArgument;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Moves a run to another version of its workflow. */
@Command(
    name = "move",
    description = "Move an open run to another version of its workflow.",
    footer = "'holdfast workflow show WORKFLOW' lists the stored versions with their hashes.")
public final class MoveCommand implements Callable<Integer> {

  @Mixin private final Target target = new Target();

  @Mixin private final RunArgument given = new RunArgument();

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
  public Integer call() {
    return target.run(this::move);
  }

  private int move(Session session) {
    JsonNode run = session.get(session.path("runs", given.id()));
    String hash = hash(Value.text(run, "workflow"), session);
    JsonNode moved =
        session.post(
            session.path("runs", given.id(), "move"),
            Json.object().put("hash", hash).put("dryRun", dryRun));
    List<String> differences = Value.list(moved, "differences");
    if (!session.json()) {
      differences.forEach(session.out()::println);
    }
    String what = differences.isEmpty() ? "; nothing differs" : "";
    return session.done(
        moved,
        dryRun
            ? "Nothing was changed%s.".formatted(what)
            : "Run %s is moved to %s%s.".formatted(given.id(), hash, what));
  }

  private String hash(String workflow, Session session) {
    List<String> known = new ArrayList<>();
    session
        .all(session.path("workflows", workflow), "versions")
        .forEach(version -> known.add(Value.text(version, "hash")));
    List<String> meant = known.stream().filter(hash -> hash.startsWith(to)).toList();
    if (meant.size() != 1) {
      throw ApiException.refused(
          ExitCode.NOT_FOUND,
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
