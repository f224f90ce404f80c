package dev.holdfast.cli.ops;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Lists tasks with a limit or a circuit breaker. */
@Command(
    name = "tasks",
    description = "List tasks that have a limit, or a circuit breaker that has counted failures.")
public final class TasksCommand extends ClientCommand {

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--close",
      paramLabel = "TASK",
      converter = TaskConverter.class,
      description = "Close the circuit breaker of this task first.")
  private @Nullable String close;

  @Override
  protected int ask(Session session) {
    if (close != null && !session.client().tasks().closeBreaker(close)) {
      return session.report(
          false, "The circuit breaker of task '%s' is not open; see 'tasks'.".formatted(close));
    }
    List<TaskStatus> tasks = session.client().tasks().list();
    if (json) {
      Json.print(tasks, session.out());
      return DONE;
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
          wordFor(task.breaker()),
          task.openUntil() == null ? "" : task.openUntil());
    }
    table.print(session.out());
    return DONE;
  }

  private static String wordFor(BreakerState state) {
    return switch (state) {
      case CLOSED -> "closed";
      case OPEN -> "open";
      case HALF_OPEN -> "half-open";
    };
  }

  /** Reads a task name; the error for an invalid name lists the allowed characters. */
  static final class TaskConverter implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      try {
        return Names.task(text);
      } catch (IllegalArgumentException wrong) {
        throw new TypeConversionException(String.valueOf(wrong.getMessage()));
      }
    }
  }
}
