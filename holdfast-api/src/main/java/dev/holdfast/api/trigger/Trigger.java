package dev.holdfast.api.trigger;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.internal.TriggerNames;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts a task when an event is published.
 *
 * <pre>{@code
 * Trigger reindex =
 *     Trigger.named("reindex-on-update")
 *         .on("resource.updated")
 *         .where(Condition.field("kind").is("page"))
 *         .start(REINDEX)
 *         .subject("id")
 *         .debounce(Duration.ofSeconds(5))
 *         .build();
 * }</pre>
 *
 * @param id the id; storing a trigger with the id of an existing one replaces that one
 * @param event the name of the event
 * @param task the name of the task to start; its jobs have the payload of the event
 * @param conditions conditions on the payload, all of which must be met; empty for every event. At
 *     most 32
 * @param window how long a payload is remembered: the task is not started again with the same
 *     payload within this time; defaults to one hour
 * @param subject the field of the payload that identifies what the event is about; debounce and
 *     cooldown apply per subject. Null if all events share one subject; events without the field
 *     share one, too
 * @param debounce how long there must be no further event of the subject before its last event
 *     starts the task; null to start it immediately
 * @param maxWait how long after the first event the task is started even if events keep arriving;
 *     null for no limit
 * @param cooldown how long after a start further events of the subject are dropped; null for none
 * @param queue the queue of the jobs
 * @param priority the priority of the jobs, 0 to 9
 * @param tags the tags of the jobs
 */
public record Trigger(
    String id,
    String event,
    String task,
    List<Condition> conditions,
    Duration window,
    @Nullable String subject,
    @Nullable Duration debounce,
    @Nullable Duration maxWait,
    @Nullable Duration cooldown,
    String queue,
    int priority,
    Set<String> tags) {

  /** The default window: one hour. */
  public static final Duration DEFAULT_WINDOW = Duration.ofHours(1);

  private static final int MOST_CONDITIONS = 32;
  private static final Duration LONGEST = Duration.ofDays(3_650);

  /**
   * Checks the trigger.
   *
   * @throws IllegalArgumentException if a value is not valid or has no effect
   */
  public Trigger {
    TriggerNames.id(id);
    TriggerNames.event(event);
    Names.task(task);
    conditions = List.copyOf(conditions);
    if (conditions.size() > MOST_CONDITIONS) {
      throw new IllegalArgumentException(
          "Trigger '%s' has %d conditions: give at most %d, and check the others in the handler of the task."
              .formatted(id, conditions.size(), MOST_CONDITIONS));
    }
    requireUsable(id, "window", window);
    requireUsable(id, "debounce", debounce);
    requireUsable(id, "maximum wait", maxWait);
    requireUsable(id, "cooldown", cooldown);
    requireSense(id, subject, debounce, maxWait, cooldown);
    Set<String> words = tags;
    // The options check the queue, the priority and the tags.
    tags = JobOptions.DEFAULTS.with(o -> o.queue(queue).priority(priority).tags(words)).tags();
  }

  private static void requireUsable(String id, String what, @Nullable Duration value) {
    // A time plus one of these must remain a time that a database can store.
    if (value != null && (value.isNegative() || value.isZero() || value.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException(
          "A %s of %s is not valid for trigger '%s': give a positive duration of at most %s."
              .formatted(what, Times.describe(value), id, Times.describe(LONGEST)));
    }
  }

  private static void requireSense(
      String id,
      @Nullable String subject,
      @Nullable Duration debounce,
      @Nullable Duration maxWait,
      @Nullable Duration cooldown) {
    if (subject != null) {
      TriggerNames.field(subject);
      if (debounce == null && cooldown == null) {
        throw new IllegalArgumentException(
            "Subject '%s' of trigger '%s' has no effect: add a debounce or a cooldown, or remove the subject."
                .formatted(subject, id));
      }
    }
    if (maxWait != null && debounce == null) {
      throw new IllegalArgumentException(
          "A maximum wait of %s has no effect for trigger '%s': add a debounce, or remove the maximum wait."
              .formatted(Times.describe(maxWait), id));
    }
    if (maxWait != null && debounce != null && maxWait.compareTo(debounce) < 0) {
      throw new IllegalArgumentException(
          "A maximum wait of %s is shorter than the debounce of %s of trigger '%s': give at least the debounce."
              .formatted(Times.describe(maxWait), Times.describe(debounce), id));
    }
  }

  /** Returns whether the trigger stores the state of subjects: it has a debounce or a cooldown. */
  public boolean hasSubjectRules() {
    return debounce != null || cooldown != null;
  }

  /**
   * Starts to build a trigger.
   *
   * @param id words of lower-case letters, digits, {@code -} and {@code _}, joined by {@code .}, at
   *     most 64 characters
   */
  public static Builder named(String id) {
    return new Builder(TriggerNames.id(id));
  }

  /** Builds a trigger. An event and a task are required; everything else has a default. */
  public static final class Builder {
    private final String id;
    private @Nullable String event;
    private @Nullable String task;
    private final List<Condition> conditions = new ArrayList<>();
    private Duration window = DEFAULT_WINDOW;
    private @Nullable String subject;
    private @Nullable Duration debounce;
    private @Nullable Duration maxWait;
    private @Nullable Duration cooldown;
    private JobOptions defaults = JobOptions.DEFAULTS;
    private @Nullable String queue;
    private @Nullable Integer priority;
    private @Nullable Set<String> tags;

    private Builder(String id) {
      this.id = id;
    }

    /** Sets the name of the event. Required. */
    public Builder on(String eventName) {
      this.event = eventName;
      return this;
    }

    /**
     * Adds conditions on the payload. Events that do not meet all conditions start nothing.
     * Defaults to none: every event starts the task.
     */
    public Builder where(Condition... all) {
      conditions.addAll(Arrays.asList(all));
      return this;
    }

    /**
     * Sets the task to start, and takes the defaults for queue, priority and tags from it.
     * Required, unless the task is given by name.
     */
    public Builder start(TaskType<?, ?> type) {
      this.task = type.name();
      this.defaults = type.defaults();
      return this;
    }

    /**
     * Sets the task to start by name, for programs that do not have its type. Its defaults are not
     * known then: queue and priority default to those of jobs without options, and tags to none.
     * Required, unless the task is given by type.
     */
    public Builder start(String taskName) {
      this.task = taskName;
      return this;
    }

    /**
     * Sets how long a payload is remembered: the task is started at most once per distinct payload
     * within this time. A long window makes it safe to publish again after long outages; a short
     * one lets a payload that recurs start the task again. Defaults to one hour.
     */
    public Builder window(Duration length) {
      this.window = length;
      return this;
    }

    /**
     * Sets the field of the payload that identifies what an event is about. Debounce and cooldown
     * apply per subject; without one of them a subject is refused. Defaults to none: all events
     * share one subject.
     */
    public Builder subject(String field) {
      this.subject = field;
      return this;
    }

    /**
     * Sets how long there must be no further event of the subject before the task is started, with
     * the payload of the last event. It combines bursts of events into one job, at the price of a
     * later start. Defaults to none: the task is started immediately.
     */
    public Builder debounce(Duration quiet) {
      this.debounce = quiet;
      return this;
    }

    /**
     * Limits how long a steady stream of events can delay the start, counted from the first event.
     * Requires a debounce. Defaults to no limit.
     *
     * @param longest at least the debounce
     */
    public Builder maxWait(Duration longest) {
      this.maxWait = longest;
      return this;
    }

    /**
     * Sets how long after a start further events of the subject are dropped. It limits how often
     * the task is started, but the last state of the subject may be missed; use {@link #debounce}
     * if it must not be. Defaults to none.
     */
    public Builder cooldown(Duration length) {
      this.cooldown = length;
      return this;
    }

    /** Sets the queue of the jobs. Defaults to the queue of the task. */
    public Builder queue(String name) {
      this.queue = name;
      return this;
    }

    /**
     * Sets the priority of the jobs, 0 (least urgent) to 9 (most urgent). Defaults to the priority
     * of the task.
     */
    public Builder priority(int level) {
      this.priority = level;
      return this;
    }

    /** Sets the tags of the jobs. Defaults to the tags of the task. */
    public Builder tags(String... words) {
      this.tags = Set.copyOf(Arrays.asList(words));
      return this;
    }

    /**
     * Builds the trigger.
     *
     * @throws IllegalArgumentException if the event or the task is missing, or a value is not valid
     */
    public Trigger build() {
      if (event == null) {
        throw new IllegalArgumentException(
            "Trigger '%s' has no event: set one with on(...).".formatted(id));
      }
      if (task == null) {
        throw new IllegalArgumentException(
            "Trigger '%s' has no task: set one with start(...).".formatted(id));
      }
      return new Trigger(
          id,
          event,
          task,
          conditions,
          window,
          subject,
          debounce,
          maxWait,
          cooldown,
          queue != null ? queue : defaults.queue(),
          priority != null ? priority : defaults.priority(),
          tags != null ? tags : defaults.tags());
    }
  }
}
