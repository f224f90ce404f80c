package dev.holdfast.postgres.notify;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.postgres.db.SqlValues;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Converts signals to and from the short texts that NOTIFY carries: {@code sender:kind:details}.
 *
 * <p>Unknown texts are ignored, so that a newer version may send more.
 */
final class SignalText {
  private static final String PING = "ping";

  private SignalText() {}

  /**
   * A received text.
   *
   * @param sender the process that sent it
   * @param body the signal
   */
  record Received(String sender, String body) {
    boolean isPing() {
      return body.startsWith(PING + ":");
    }
  }

  static String write(String sender, Signal signal) {
    return sender + ":" + body(signal);
  }

  private static String body(Signal signal) {
    return switch (signal) {
      case Signal.NewWork(String queue, int priority, int jobs) ->
          "work:" + queue + ":" + priority + (jobs == 0 ? "" : ":" + jobs);
      case Signal.Scheduled(Duration in) -> "due:" + SqlValues.micros(in);
      case Signal.QueueChanged(String queue) -> "queue:" + queue;
      case Signal.TaskChanged(String task) -> "task:" + task;
      case Signal.HeartbeatRequested(UUID incarnation) -> "call:" + incarnation;
      case Signal.ResultAwaited(JobId job) -> "awaited:" + job;
      case Signal.JobEnded(JobId job) -> "ended:" + job;
      case Signal.RunsMarked(Duration in) -> "runs:" + SqlValues.micros(in);
      case Signal.Watched(String topic) -> "watched:" + topic;
      case Signal.Changed(String topic) -> "changed:" + topic;
      case Signal.SchedulesChanged() -> "schedules";
      case Signal.NodeJoined() -> "joined";
      case Signal.NodeDied() -> "died";
      case Signal.SignalsMissed() -> "missed";
      case Signal.InTenant(int tenant, Signal own) -> "tenant:" + tenant + ":" + body(own);
    };
  }

  static String ping(String sender, long number) {
    return sender + ":" + PING + ":" + number;
  }

  static Optional<Received> split(String payload) {
    int colon = payload.indexOf(':');
    return colon < 0
        ? Optional.empty()
        : Optional.of(new Received(payload.substring(0, colon), payload.substring(colon + 1)));
  }

  /** Returns the signal of a body; empty if it is not a signal or of an unknown kind. */
  static Optional<Signal> read(String body) {
    String[] parts = body.split(":", -1);
    try {
      return switch (parts[0]) {
        case "work" ->
            Optional.of(
                new Signal.NewWork(
                    parts[1],
                    Integer.parseInt(parts[2]),
                    parts.length > 3 ? Integer.parseInt(parts[3]) : 0));
        case "due" ->
            Optional.of(new Signal.Scheduled(SqlValues.ofMicros(Long.parseLong(parts[1]))));
        case "queue" -> Optional.of(new Signal.QueueChanged(parts[1]));
        // The name of a task may contain colons.
        case "task" -> Optional.of(new Signal.TaskChanged(body.substring("task:".length())));
        case "call" -> Optional.of(new Signal.HeartbeatRequested(UUID.fromString(parts[1])));
        case "awaited" -> Optional.of(new Signal.ResultAwaited(JobId.parse(parts[1])));
        case "ended" -> Optional.of(new Signal.JobEnded(JobId.parse(parts[1])));
        case "runs" ->
            Optional.of(new Signal.RunsMarked(SqlValues.ofMicros(Long.parseLong(parts[1]))));
        case "watched" -> Optional.of(new Signal.Watched(body.substring("watched:".length())));
        case "changed" -> Optional.of(new Signal.Changed(body.substring("changed:".length())));
        case "schedules" -> Optional.of(new Signal.SchedulesChanged());
        case "joined" -> Optional.of(new Signal.NodeJoined());
        case "died" -> Optional.of(new Signal.NodeDied());
        case "missed" -> Optional.of(new Signal.SignalsMissed());
        case "tenant" -> {
          int tenant = Integer.parseInt(parts[1]);
          yield read(body.substring("tenant:".length() + parts[1].length() + 1))
              .map(own -> new Signal.InTenant(tenant, own));
        }
        default -> Optional.empty();
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException notOurs) {
      return Optional.empty();
    }
  }
}
