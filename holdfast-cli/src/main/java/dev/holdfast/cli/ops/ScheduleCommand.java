package dev.holdfast.cli.ops;

import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Schedules;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Controls a schedule. */
@Command(
    name = "schedule",
    description = "Pause, resume, fire or cancel a schedule.",
    footer =
        "A schedule that an application declares stays cancelled until its declaration changes.")
public final class ScheduleCommand extends ClientCommand {

  /** The possible actions. */
  enum Action {
    PAUSE,
    RESUME,
    FIRE,
    CANCEL
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = "One of ${COMPLETION-CANDIDATES}, in upper or lower case.")
  @SuppressWarnings("NullAway.Init")
  private Action action;

  @Parameters(index = "1", paramLabel = "ID", description = "The id of the schedule.")
  @SuppressWarnings("NullAway.Init")
  private String id;

  @Override
  protected int ask(Session session) {
    Schedules schedules = session.client().schedules();
    return switch (action) {
      case PAUSE ->
          schedules.pause(id)
              ? session.report(
                  true, "Schedule '%s' is paused; jobs that it enqueued continue.".formatted(id))
              : missing(session);
      case RESUME ->
          schedules.resume(id)
              ? session.report(
                  true, "Schedule '%s' is resumed; next fire: %s.".formatted(id, nextOf(schedules)))
              : missing(session);
      case FIRE -> fire(session, schedules);
      case CANCEL ->
          schedules.cancel(id)
              ? session.report(true, "Schedule '%s' is cancelled.".formatted(id))
              : missing(session);
    };
  }

  private int fire(Session session, Schedules schedules) {
    return switch (schedules.fire(id)) {
      case FireResult.Fired(var job) ->
          session.report(true, "Schedule '%s' enqueued job %s.".formatted(id, job));
      case FireResult.Overlapped(var live) ->
          session.report(
              false,
              "Job %s of schedule '%s' has not ended, and jobs of this schedule must not overlap."
                  .formatted(live, id));
      case FireResult.NotFound() -> missing(session);
    };
  }

  private String nextOf(Schedules schedules) {
    return schedules.next(id, 1).stream().map(Instant::toString).findFirst().orElse("never");
  }

  private int missing(Session session) {
    return session.report(false, "There is no schedule '%s'; see 'schedules'.".formatted(id));
  }
}
