package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.Names;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a signal is sent.
 *
 * @param id the id of the signal; null to generate one
 */
public record SignalOptions(@Nullable String id) {

  /** Returns the options that these changes make of the defaults. */
  public static SignalOptions of(Consumer<Builder> changes) {
    Builder builder = new Builder();
    changes.accept(builder);
    return new SignalOptions(builder.id);
  }

  /** Changes options. */
  public static final class Builder {
    private @Nullable String id;

    private Builder() {}

    /**
     * Sets the id of the signal: a second signal of the same name and id to the same run or job is
     * ignored. Defaults to a generated id.
     */
    public Builder id(String own) {
      this.id = Names.text("Signal id", own);
      return this;
    }
  }
}
