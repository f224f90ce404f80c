package dev.holdfast.engine.schedule;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.store.SchedulePlan;
import java.time.Instant;
import java.util.HexFormat;
import java.util.TreeSet;

/**
 * Converts schedules to the form in which they are stored, and rejects those that are not valid.
 */
public final class Planner {
  private static final int FINGERPRINT_BYTES = 12;

  private final PayloadCodec codec;
  private final int payloadLimit;
  private final JobOrigin origin;

  /**
   * Creates a planner.
   *
   * @param origin determines the stack of jobs that are created here
   */
  public Planner(PayloadCodec codec, int payloadLimit, JobOrigin origin) {
    this.codec = codec;
    this.payloadLimit = payloadLimit;
    this.origin = origin;
  }

  /**
   * Returns the plan of a schedule.
   *
   * @throws IllegalArgumentException if its cron expression is not valid, or its payload too large
   */
  public SchedulePlan plan(Schedule schedule) {
    DueTimes.of(schedule.recurrence(), Instant.EPOCH);
    JobOptions options = schedule.options();
    String payload =
        Encoding.payload(
            codec, schedule.payload(), "schedule '%s'".formatted(schedule.id()), payloadLimit);
    return new SchedulePlan(
        schedule.id(),
        schedule.recurrence(),
        new SchedulePlan.JobTemplate(
            schedule.type().name(),
            options.queue(),
            options.priority(),
            payload,
            options.tags(),
            JobPolicyJson.write(JobPolicy.difference(options, schedule.type().defaults())),
            options.startWithin(),
            origin.of(schedule.type().name()).stack()));
  }

  /**
   * Returns a text that differs if plans differ, and is the same in every process. Plans without a
   * stack have the same fingerprint as before stacks were introduced.
   */
  public static String fingerprint(SchedulePlan plan) {
    SchedulePlan.JobTemplate job = plan.job();
    String text =
        String.join(
            "\n",
            plan.id(),
            plan.recurrence().toString(),
            job.task(),
            job.queue(),
            String.valueOf(job.priority()),
            String.valueOf(job.payload()),
            new TreeSet<>(job.tags()).toString(),
            String.valueOf(job.policy()),
            String.valueOf(job.startWithin()));
    String whole = job.stack() == null ? text : text + "\n" + job.stack();
    return HexFormat.of().formatHex(Jitter.sha256(whole), 0, FINGERPRINT_BYTES);
  }
}
