package dev.holdfast.cli.ops;

import dev.holdfast.api.Holdfast;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Limits a queue or a task. */
@Command(
    name = "limit",
    description =
        "Limit how many jobs of a queue or task are claimed at the same time in the whole cluster.")
public final class LimitCommand extends ClientCommand {

  @Parameters(
      index = "0",
      paramLabel = "NAME",
      converter = TasksCommand.TaskConverter.class,
      description = "The queue or, with --task, the task.")
  @SuppressWarnings("NullAway.Init")
  private String name;

  @Option(names = "--task", description = "NAME is a task, not a queue.")
  private boolean task;

  @Parameters(
      index = "1",
      paramLabel = "MOST",
      converter = LimitConverter.class,
      description = "The maximum number of jobs, or 'none' to remove the limit.")
  private OptionalInt most = OptionalInt.empty();

  @Option(
      names = "--force",
      description = "Set the limit even if NAME has no jobs, settings or node yet.")
  private boolean force;

  @Override
  protected int ask(Session session) {
    Optional<String> objection = force ? Optional.empty() : objection(session.client());
    if (objection.isPresent()) {
      return session.report(false, objection.get());
    }
    String what = task ? "Task" : "Queue";
    if (most.isEmpty()) {
      unlimit(session.client());
      return session.report(true, "%s '%s' has no limit.".formatted(what, name));
    }
    limit(session.client(), most.getAsInt());
    return session.report(
        true, "%s '%s' is limited to %d jobs at a time.".formatted(what, name, most.getAsInt()));
  }

  private Optional<String> objection(Holdfast client) {
    KnownNames known = task ? KnownNames.tasks(client) : KnownNames.queues(client);
    return known.objection(name, "Add --force to limit it before it has jobs or a node.");
  }

  private void limit(Holdfast client, int jobs) {
    if (task) {
      client.tasks().limit(name, jobs);
    } else {
      client.queues().limit(name, jobs);
    }
  }

  private void unlimit(Holdfast client) {
    if (task) {
      client.tasks().unlimit(name);
    } else {
      client.queues().unlimit(name);
    }
  }

  /** Reads a number of jobs; "none" means no limit. */
  static final class LimitConverter implements ITypeConverter<OptionalInt> {
    @Override
    public OptionalInt convert(String text) {
      if (text.equals("none")) {
        return OptionalInt.empty();
      }
      if (!text.matches("[1-9][0-9]{0,8}")) {
        throw new TypeConversionException(
            "'%s' is not a limit: use a number of at least 1, or 'none'.".formatted(text));
      }
      return OptionalInt.of(Integer.parseInt(text));
    }
  }
}
