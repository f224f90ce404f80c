package dev.holdfast.api.trigger;

import dev.holdfast.api.internal.Names;
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
 * A standing wish: when this event is published, start that task.
 *
 * <pre>{@code
 * Trigger.named("reindex-on-update")
 *     .on("resource.updated")
 *     .where(field("kind").is("page"))
 *     .start(REINDEX)
 *     .subject("id")
 *     .debounce(Duration.ofSeconds(5))
 *     .build();
 * }</pre>
 *
 * @param id what it is called; putting another trigger under the same id replaces it
 * @param event the name of the event it listens to
 * @param task the name of the task it starts; the event's payload becomes that of the job
 * @param conditions what must all be true of the payload; none for every event
 * @param window how long a payload counts: one that is equal is not started again within it;
 *     defaults to an hour
 * @param subject the field of the payload that says what the event is about; debounce and cooldown
 *     are per subject. Null for one subject in all; events that lack the field share one.
 * @param debounce how long a subject must be quiet before its last event starts the task; null to
 *     start at once
 * @param maxWait how long after the first event the task starts although it was never quiet; null
 *     to wait for quiet however long that takes
 * @param cooldown how long after a start further events of the subject are swallowed; null for not
 *     at all
 * @param queue the queue of the jobs it starts
 * @param priority the priority of the jobs it starts, 0 to 9
 * @param tags the tags of the jobs it starts
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

  /** How long a payload counts unless another window is given. */
  public static final Duration DEFAULT_WINDOW = Duration.ofHours(1);

  private static final int MOST_CONDITIONS = 32;
  private static final Duration LONGEST = Duration.ofDays(3_650);

  public Trigger {
    TriggerNames.id(id);
    TriggerNames.event(event);
    Names.task(task);
    conditions = List.copyOf(conditions);
    if (conditions.size() > MOST_CONDITIONS) {
      throw new IllegalArgumentException(
          "Trigger '%s' has %d conditions, which is too many: give at most %d, or let the task look for itself."
              .formatted(id, conditions.size(), MOST_CONDITIONS));
    }
    requireUsable(id, "window", window);
    requireUsable(id, "debounce", debounce);
    requireUsable(id, "longest wait", maxWait);
    requireUsable(id, "cooldown", cooldown);
    requireSense(id, subject, debounce, maxWait, cooldown);
    Set<String> words = tags;
    // Options know what is a good queue, priority and tag.
    tags = JobOptions.DEFAULTS.with(o -> o.queue(queue).priority(priority).tags(words)).tags();
  }

  private static void requireUsable(String id, String what, @Nullable Duration value) {
    // Sums of these and a time must stay times that a database can store.
    if (value != null && (value.isNegative() || value.isZero() || value.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException(
          "A %s of %s is not valid for trigger '%s': give a positive duration of at most %d days."
              .formatted(what, value, id, LONGEST.toDays()));
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
            "Subject '%s' of trigger '%s' has no effect: add a debounce or a cooldown, or leave it out."
                .formatted(subject, id));
      }
    }
    if (maxWait != null && debounce == null) {
      throw new IllegalArgumentException(
          "A longest wait of %s has no effect for trigger '%s': add a debounce, or leave it out."
              .formatted(maxWait, id));
    }
    if (maxWait != null && debounce != null && maxWait.compareTo(debounce) < 0) {
      throw new IllegalArgumentException(
          "A longest wait of %s is shorter than the debounce of %s of trigger '%s': give at least that."
              .formatted(maxWait, debounce, id));
    }
  }

  /** Whether it keeps books about subjects. */
  public boolean mindsSubjects() {
    return debounce != null || cooldown != null;
  }

  /** Begin a trigger. */
  public static Builder named(String id) {
    return new Builder(TriggerNames.id(id));
  }

  /** Collects what a trigger is to do; it needs an event and a task. */
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

    /** Listen to this event. */
    public Builder on(String eventName) {
      this.event = eventName;
      return this;
    }

    /** Heed only events of which all of these are true. */
    public Builder where(Condition... all) {
      conditions.addAll(Arrays.asList(all));
      return this;
    }

    /** Start this task, in its queue, with its priority and tags unless others are given. */
    public Builder start(TaskType<?, ?> type) {
      this.task = type.name();
      this.defaults = type.defaults();
      return this;
    }

    /** Start the task of this name, for programs that do not know its type. */
    public Builder start(String taskName) {
      this.task = taskName;
      return this;
    }

    /** Start at most once per distinct payload in this time; defaults to an hour. */
    public Builder window(Duration length) {
      this.window = length;
      return this;
    }

    /** Keep apart what events are about by this field of their payload. */
    public Builder subject(String field) {
      this.subject = field;
      return this;
    }

    /** Start when the subject has been quiet for so long, with the payload of its last event. */
    public Builder debounce(Duration quiet) {
      this.debounce = quiet;
      return this;
    }

    /** Debounce no longer than this, counted from the first event. */
    public Builder maxWait(Duration longest) {
      this.maxWait = longest;
      return this;
    }

    /** After a start, swallow further events of the subject for so long. */
    public Builder cooldown(Duration length) {
      this.cooldown = length;
      return this;
    }

    /** Put jobs into this queue; defaults to that of the task. */
    public Builder queue(String name) {
      this.queue = name;
      return this;
    }

    /** Give jobs this priority; defaults to that of the task. */
    public Builder priority(int level) {
      this.priority = level;
      return this;
    }

    /** Give jobs these tags; defaults to those of the task. */
    public Builder tags(String... words) {
      this.tags = Set.copyOf(Arrays.asList(words));
      return this;
    }

    /**
     * Build the trigger.
     *
     * @throws IllegalArgumentException if something is missing or wrong; the message says what
     */
    public Trigger build() {
      if (event == null) {
        throw new IllegalArgumentException(
            "Trigger '%s' listens to nothing: name its event with on(...).".formatted(id));
      }
      if (task == null) {
        throw new IllegalArgumentException(
            "Trigger '%s' starts nothing: name its task with start(...).".formatted(id));
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
