package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.UniqueKey;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a run is started.
 *
 * @param id the id of the run; null to generate one
 * @param unique a key that prevents duplicates among the runs of the workflow; null for none
 * @param tags tags to find the run by, at most 16
 * @param label a display text; null for none
 * @param priority the priority of the jobs of its steps; null for that of each step
 */
public record RunOptions(
    @Nullable RunId id,
    @Nullable UniqueKey unique,
    Set<String> tags,
    @Nullable String label,
    @Nullable Integer priority) {

  /** A start without options. */
  public static final RunOptions DEFAULTS = new RunOptions(null, null, Set.of(), null, null);

  private static final int MOST_TAGS = 16;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if a value is not valid
   */
  public RunOptions {
    tags = Set.copyOf(tags);
    if (tags.size() > MOST_TAGS) {
      throw new IllegalArgumentException(
          "%d tags are too many: give at most %d.".formatted(tags.size(), MOST_TAGS));
    }
    tags.forEach(tag -> Names.text("Tag", tag));
    if (label != null) {
      Names.text("Label", label);
    }
    if (priority != null && (priority < 0 || priority > 9)) {
      throw new IllegalArgumentException(
          "Priority %d is not valid: give 0 (least urgent) to 9 (most urgent)."
              .formatted(priority));
    }
    if (unique != null && unique.onConflict() == UniqueKey.OnConflict.REPLACE) {
      throw new IllegalArgumentException(
          "A run cannot replace another one with the same unique key: use maxActive of the workflow"
              + " with REPLACE.");
    }
  }

  /** Returns the options that these changes make of the defaults. */
  public static RunOptions of(Consumer<Builder> changes) {
    Builder builder = new Builder();
    changes.accept(builder);
    return builder.build();
  }

  /** Changes options. */
  public static final class Builder {
    private @Nullable RunId id;
    private @Nullable UniqueKey unique;
    private Set<String> tags = Set.of();
    private @Nullable String label;
    private @Nullable Integer priority;

    private Builder() {}

    /**
     * Sets your own id: a start with the id of an existing run, open or ended, creates no second
     * one. Defaults to a generated id.
     */
    public Builder id(RunId own) {
      this.id = own;
      return this;
    }

    /**
     * Sets a key that prevents duplicates among the runs of the workflow: a start with a key that
     * is taken returns the existing run. Defaults to none.
     */
    public Builder unique(UniqueKey key) {
      this.unique = key;
      return this;
    }

    /** Sets the tags. Runs can be listed and counted by tag. Defaults to none. */
    public Builder tags(String... words) {
      return tags(List.of(words));
    }

    /** Sets the tags. Runs can be listed and counted by tag. Defaults to none. */
    public Builder tags(Collection<String> words) {
      this.tags = Set.copyOf(words);
      return this;
    }

    /** Sets a display text, shown instead of the id. Defaults to none. */
    public Builder label(String text) {
      this.label = text;
      return this;
    }

    /**
     * Sets the priority of the jobs of all steps, 0 (least urgent) to 9 (most urgent). Defaults to
     * the priority of each step.
     */
    public Builder priority(int level) {
      this.priority = level;
      return this;
    }

    private RunOptions build() {
      return new RunOptions(id, unique, tags, label, priority);
    }
  }
}
