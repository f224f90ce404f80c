package dev.holdfast.tck.contract;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewJob.IdUse;
import dev.holdfast.engine.store.NewJob.Stamp;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds jobs with a new id and defaults for everything that a test does not set. */
public final class JobDraft {
  /** The default queue. */
  public static final String QUEUE = "mail";

  /** The default task. */
  public static final String TASK = "mail::send";

  private JobId id = new JobId(UuidCreator.getTimeOrderedEpoch());
  private String task = TASK;
  private String queue = QUEUE;
  private int priority = 4;
  private When when = When.NOW;
  private @Nullable String payload = "{\"to\":\"ada\"}";
  private @Nullable UniqueKey unique;
  private Set<String> tags = Set.of();
  private @Nullable String policy;
  private @Nullable Duration startWithin;
  private IdUse idUse = IdUse.FRESH;
  private Stamp stamp = Stamp.NONE;

  public JobDraft id(JobId other) {
    this.id = other;
    return this;
  }

  public JobDraft task(String name) {
    this.task = name;
    return this;
  }

  public JobDraft queue(String name) {
    this.queue = name;
    return this;
  }

  public JobDraft priority(int level) {
    this.priority = level;
    return this;
  }

  public JobDraft when(When time) {
    this.when = time;
    return this;
  }

  /** Sets the due time to this delay from now. */
  public JobDraft dueIn(Duration delay) {
    return when(new When.After(delay));
  }

  public JobDraft payload(@Nullable String text) {
    this.payload = text;
    return this;
  }

  public JobDraft unique(UniqueKey key) {
    this.unique = key;
    return this;
  }

  public JobDraft tags(String... words) {
    this.tags = Set.of(words);
    return this;
  }

  public JobDraft policy(String text) {
    this.policy = text;
    return this;
  }

  public JobDraft startWithin(Duration longest) {
    this.startWithin = longest;
    return this;
  }

  /** Sets the stack of the job and the node that created it. */
  public JobDraft stamp(@Nullable String stack, @Nullable String source) {
    this.stamp = new Stamp(stack, source);
    return this;
  }

  public JobDraft childOf(JobId parent) {
    return stamp(null, null, parent);
  }

  public JobDraft stamp(@Nullable String stack, @Nullable String source, @Nullable JobId parent) {
    this.stamp = new Stamp(stack, source, parent);
    return this;
  }

  /** Sets the whole stamp. */
  public JobDraft stamp(Stamp other) {
    this.stamp = other;
    return this;
  }

  /** Sets the step of a run that the job executes. */
  public JobDraft step(StepRef ref) {
    this.stamp = new Stamp(stamp.stack(), stamp.source(), stamp.parent(), ref);
    return this;
  }

  /** Sets the stack. */
  public JobDraft stack(String name) {
    return stamp(name, null);
  }

  /** Sets whether the id may have been used before. Defaults to a fresh id. */
  public JobDraft idUse(IdUse use) {
    this.idUse = use;
    return this;
  }

  /** Builds the job. */
  public NewJob build() {
    return new NewJob(
        id,
        idUse,
        when,
        unique,
        new NewJob.Content(task, queue, priority, payload, tags, policy, startWithin, stamp));
  }
}
