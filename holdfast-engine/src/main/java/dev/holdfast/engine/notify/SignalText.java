package dev.holdfast.engine.notify;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.JobId;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/**
 * Converts signals to and from short texts ({@code kind:details}) that a {@link ClusterCoordinator}
 * can send. All nodes and clients of a cluster must understand the same texts.
 *
 * <p>Unknown texts are ignored, so that a newer version may send more.
 */
public final class SignalText {

  private SignalText() {}

  /** Returns the text of a signal. It contains no line break. */
  public static String write(Signal signal) {
    return switch (signal) {
      case Signal.NewWork(String queue, int priority, int jobs) ->
          "work:" + queue + ":" + priority + (jobs == 0 ? "" : ":" + jobs);
      case Signal.Scheduled(Duration in) -> "due:" + micros(in);
      case Signal.QueueChanged(String queue) -> "queue:" + queue;
      case Signal.TaskChanged(String task) -> "task:" + task;
      case Signal.HeartbeatRequested(UUID incarnation) -> "call:" + incarnation;
      case Signal.ResultAwaited(JobId job) -> "awaited:" + job;
      case Signal.JobEnded(JobId job) -> "ended:" + job;
      case Signal.RunsMarked(Duration in) -> "runs:" + micros(in);
      case Signal.Watched(String topic) -> "watched:" + topic;
      case Signal.Changed(String topic) -> "changed:" + topic;
      case Signal.SchedulesChanged() -> "schedules";
      case Signal.NodeJoined() -> "joined";
      case Signal.NodeDied() -> "died";
      case Signal.SignalsMissed() -> "missed";
      case Signal.InTenant(int tenant, Signal own) -> "tenant:" + tenant + ":" + write(own);
    };
  }

  /** Returns the signal of a text; empty if it is not a signal or of an unknown kind. */
  public static Optional<Signal> read(String text) {
    String[] parts = text.split(":", -1);
    try {
      return switch (parts[0]) {
        case "work" ->
            Optional.of(
                new Signal.NewWork(
                    parts[1],
                    Integer.parseInt(parts[2]),
                    parts.length > 3 ? Integer.parseInt(parts[3]) : 0));
        case "due" ->
            Optional.of(
                new Signal.Scheduled(Duration.of(Long.parseLong(parts[1]), ChronoUnit.MICROS)));
        case "queue" -> Optional.of(new Signal.QueueChanged(parts[1]));
        // The name of a task may contain colons.
        case "task" -> Optional.of(new Signal.TaskChanged(text.substring("task:".length())));
        case "call" -> Optional.of(new Signal.HeartbeatRequested(UUID.fromString(parts[1])));
        case "awaited" -> Optional.of(new Signal.ResultAwaited(JobId.parse(parts[1])));
        case "ended" -> Optional.of(new Signal.JobEnded(JobId.parse(parts[1])));
        case "runs" ->
            Optional.of(
                new Signal.RunsMarked(Duration.of(Long.parseLong(parts[1]), ChronoUnit.MICROS)));
        case "watched" -> Optional.of(new Signal.Watched(text.substring("watched:".length())));
        case "changed" -> Optional.of(new Signal.Changed(text.substring("changed:".length())));
        case "schedules" -> Optional.of(new Signal.SchedulesChanged());
        case "joined" -> Optional.of(new Signal.NodeJoined());
        case "died" -> Optional.of(new Signal.NodeDied());
        case "missed" -> Optional.of(new Signal.SignalsMissed());
        case "tenant" -> {
          int tenant = Integer.parseInt(parts[1]);
          yield read(text.substring("tenant:".length() + parts[1].length() + 1))
              .map(own -> new Signal.InTenant(tenant, own));
        }
        default -> Optional.empty();
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException notOurs) {
      return Optional.empty();
    }
  }

  private static long micros(Duration in) {
    return Times.bounded(in).dividedBy(ChronoUnit.MICROS.getDuration());
  }
}
