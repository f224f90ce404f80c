package dev.holdfast.cli.graph;

import dev.holdfast.api.workflow.StepState;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How far a step of a run has come.
 *
 * @param items how many items of a map have ended, such as "3/7"; empty if it is no map
 */
public record StepProgress(
    StepState state,
    String items,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    int attempts) {

  String text(Instant now) {
    StringBuilder text = new StringBuilder(state.name().toLowerCase(Locale.ROOT));
    if (!items.isEmpty()) {
      text.append(' ').append(items);
    }
    if (startedAt != null) {
      text.append(' ')
          .append(Elapsed.of(Duration.between(startedAt, endedAt == null ? now : endedAt)));
    }
    if (attempts > 1) {
      text.append(", attempt ").append(attempts);
    }
    return text.toString();
  }
}
