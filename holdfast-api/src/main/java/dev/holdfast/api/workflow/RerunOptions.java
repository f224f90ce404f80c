package dev.holdfast.api.workflow;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a run is repeated.
 *
 * @param from the names of the steps to run again; empty for all steps
 * @param input the input of the new run, encoded; null for that of the original run
 * @param outputs outputs that replace those of steps that do not run again, encoded, by the name of
 *     the step
 */
public record RerunOptions(List<String> from, @Nullable String input, Map<String, String> outputs) {

  /** Copies the values. */
  public RerunOptions {
    from = List.copyOf(from);
    outputs = Map.copyOf(outputs);
  }

  /** Returns the options that these changes make of the defaults. */
  public static RerunOptions of(Consumer<Builder> changes) {
    Builder builder = new Builder();
    changes.accept(builder);
    return new RerunOptions(builder.from, builder.input, builder.outputs);
  }

  /** Changes options. */
  public static final class Builder {
    private List<String> from = List.of();
    private @Nullable String input;
    private final Map<String, String> outputs = new LinkedHashMap<>();

    private Builder() {}

    /** Sets the steps to run again, with everything after them. Defaults to all steps. */
    public Builder from(String... steps) {
      return from(List.of(steps));
    }

    /** Sets the steps to run again, with everything after them. Defaults to all steps. */
    public Builder from(Collection<String> steps) {
      this.from = List.copyOf(steps);
      return this;
    }

    /**
     * Sets the input of the new run, encoded as the nodes expect it, usually as JSON. Defaults to
     * that of the original run.
     */
    public Builder input(String encoded) {
      this.input = encoded;
      return this;
    }

    /**
     * Replaces the output of a step that succeeded and does not run again. Later steps read it, and
     * it is part of their context. Defaults to the output of the original run.
     *
     * @param step the name of the step, which must not be a map
     * @param encoded the output, encoded as the nodes expect it, usually as JSON
     */
    public Builder output(String step, String encoded) {
      outputs.put(step, encoded);
      return this;
    }
  }
}
