package dev.holdfast.api.workflow;

import dev.holdfast.api.type.TypeRef;
import org.jspecify.annotations.Nullable;

/**
 * Where a step gets its payload from: the input of the run, the output of a {@link Step}, a part of
 * the context, or a constant. A {@link Flow} creates sources.
 *
 * @param <T> the type of the value
 */
public sealed interface Source<T> permits Step, Source.Value {

  /** Returns what is stored of this source. */
  Input input();

  /** Returns the type of the value. */
  TypeRef<T> type();

  /**
   * A source other than a step.
   *
   * @param input what is stored of it
   * @param type the type of the value
   */
  record Value<T>(Input input, TypeRef<T> type) implements Source<T> {}

  /** A source without its type. */
  sealed interface Input {

    /** The input of the run, unchanged. */
    record RunInput() implements Input {}

    /**
     * The context of the step, or a part of it.
     *
     * @param path the path of a field, such as {@code customer.orders}; null for the whole context
     */
    record Context(@Nullable String path) implements Input {}

    /**
     * The output of a step, or a part of it. The step is a dependency.
     *
     * @param step the name of the step
     * @param path the path of a field; null for the whole output
     */
    record Output(String step, @Nullable String path) implements Input {}

    /**
     * A constant.
     *
     * @param value the value, encoded when the workflow is registered
     */
    record Constant(Object value) implements Input {}
  }
}
