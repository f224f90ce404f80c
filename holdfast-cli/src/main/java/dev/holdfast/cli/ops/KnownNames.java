package dev.holdfast.cli.ops;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.cli.print.Closest;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The queues or tasks that a cluster knows. A setting for any other name is most likely a typo: it
 * would be stored and never apply to a job.
 *
 * @param what "queue" or "task"
 */
record KnownNames(String what, Set<String> names) {
  private static final int MOST_SHOWN = 20;

  /** Returns the queues that have jobs, settings, or a node that is live or died recently. */
  static KnownNames queues(Holdfast client) {
    Set<String> names = new TreeSet<>();
    client.queues().list().stream().map(QueueStatus::name).forEach(names::add);
    client.nodes().list().stream().map(NodeInfo::queues).forEach(names::addAll);
    return new KnownNames("queue", names);
  }

  /** Returns the tasks that have settings, or a node that is live or died recently. */
  static KnownNames tasks(Holdfast client) {
    Set<String> names = new TreeSet<>();
    client.tasks().list().stream().map(TaskStatus::task).forEach(names::add);
    client.nodes().list().stream().map(NodeInfo::tasks).forEach(names::addAll);
    return new KnownNames("task", names);
  }

  /** Returns the error message for an unknown name; empty if the name is known. */
  Optional<String> objection(String name, String remedy) {
    if (names.contains(name)) {
      return Optional.empty();
    }
    String meant =
        Closest.to(name, names).map(close -> " Did you mean '%s'?".formatted(close)).orElse("");
    String known =
        names.isEmpty()
            ? " There are no %ss yet.".formatted(what)
            : " Known %ss: %s%s."
                .formatted(
                    what,
                    names.stream().limit(MOST_SHOWN).collect(Collectors.joining(", ")),
                    names.size() > MOST_SHOWN ? ", ..." : "");
    return Optional.of(
        "There is no %s '%s'; nothing was changed.%s%s%s"
            .formatted(what, name, meant, known, remedy.isEmpty() ? "" : " " + remedy));
  }
}
