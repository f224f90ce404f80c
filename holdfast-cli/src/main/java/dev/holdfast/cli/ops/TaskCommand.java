package dev.holdfast.cli.ops;

import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.cli.connect.ApiException;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.connect.Group;
import dev.holdfast.cli.connect.Session;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import dev.holdfast.engine.client.HoldfastClient;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Limits tasks, and closes their circuit breakers. */
@Command(
    name = "task",
    description = "List tasks, limit them and close their circuit breakers (database only).",
    synopsisSubcommandLabel = "COMMAND")
public final class TaskCommand extends Group {

  private static int on(
      Target target, java.util.function.BiFunction<Session, HoldfastClient, Integer> work) {
    return target.onDatabase(session -> {
      try (HoldfastClient client = HoldfastClient.on(session.store())) {
        return work.apply(session, client);
      }
    });
  }

  @Command(
      name = "list",
      description = "List tasks that have a limit, or a circuit breaker that has counted failures.")
  int list(@Mixin Target target) {
    return on(target, (session, client) -> list(session, client.tasks().list()));
  }

  private static int list(Session session, List<TaskStatus> tasks) {
    if (session.json()) {
      Json.print(tasks, session.out());
      return ExitCode.DONE.number();
    }
    if (tasks.isEmpty()) {
      return session.done(Json.object(), "There are no such tasks.");
    }
    Table table =
        Table.of("task", "limit", "ready", "held", "breaker", "until")
            .numbers("limit", "ready", "held");
    for (TaskStatus task : tasks) {
      Integer limit = task.limit();
      table.row(
          task.task(),
          limit == null ? "" : limit,
          task.ready(),
          task.held(),
          task.breaker().name().toLowerCase(Locale.ROOT).replace('_', '-'),
          task.openUntil() == null ? "" : task.openUntil());
    }
    table.print(session.out());
    return ExitCode.DONE.number();
  }

  @Command(
      name = "limit",
      description =
          "Limit how many jobs of a task are claimed at the same time in the whole cluster.")
  int limit(
      @Mixin Target target,
      @Parameters(
              index = "0",
              paramLabel = "TASK",
              converter = NameConverter.OfTask.class,
              description = "The name of the task.")
          String task,
      @Parameters(
              index = "1",
              paramLabel = "MOST",
              converter = LimitConverter.class,
              description = "The maximum number of jobs, or 'none' to remove the limit.")
          OptionalInt most,
      @Option(
              names = "--force",
              description = "Limit the task even if it has no settings or node yet.")
          boolean force) {
    return on(
        target,
        (session, client) -> {
          if (!force) {
            known(client).require(task, "Add --force to limit it before it has jobs or a node.");
          }
          if (most.isEmpty()) {
            client.tasks().unlimit(task);
            return session.done(Json.object(), "Task '%s' has no limit.".formatted(task));
          }
          client.tasks().limit(task, most.getAsInt());
          return session.done(
              Json.object(),
              "Task '%s' is limited to %d jobs at a time.".formatted(task, most.getAsInt()));
        });
  }

  private static KnownNames known(HoldfastClient client) {
    Set<String> names = new TreeSet<>();
    client.tasks().list().forEach(task -> names.add(task.task()));
    client.nodes().list().forEach(node -> names.addAll(node.tasks()));
    return new KnownNames("task", names);
  }

  @Command(name = "close", description = "Close the circuit breaker of a task.")
  int close(
      @Mixin Target target,
      @Parameters(
              paramLabel = "TASK",
              converter = NameConverter.OfTask.class,
              description = "The name of the task.")
          String task) {
    return on(
        target,
        (session, client) -> {
          if (!client.tasks().closeBreaker(task)) {
            throw ApiException.refused(
                ExitCode.CONFLICT,
                "The circuit breaker of task '%s' is not open; see 'task list'.".formatted(task));
          }
          return session.done(
              Json.object(), "The circuit breaker of task '%s' is closed.".formatted(task));
        });
  }
}
