package dev.holdfast.tck.simulation;

import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunPlanner;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records what happened, as a hash that identifies the run and, optionally, as text. */
final class Trace {
  private final Timeline timeline;
  private final @Nullable List<String> lines;
  private long digest = 1;

  Trace(Timeline timeline, boolean inWords) {
    this.timeline = timeline;
    this.lines = inWords ? new ArrayList<>() : null;
  }

  void note(String who, String what) {
    stir(timeline.now());
    stir(who.hashCode());
    stir(what.hashCode());
    if (lines != null) {
      lines.add("%.6f %s %s".formatted(timeline.now() / 1e9, who, what));
    }
  }

  /** Records an executed call. */
  void note(String who, Interposed.Call call, @Nullable Object result) {
    stir(timeline.now());
    stir(who.hashCode());
    stir(call.name().hashCode());
    if (lines != null) {
      lines.add(
          "%.6f %s %s%s = %s"
              .formatted(timeline.now() / 1e9, who, call.name(), values(call), result));
    }
  }

  /** Returns the arguments without functions, whose text differs each time. */
  private static List<@Nullable Object> values(Interposed.Call call) {
    return call.arguments().stream()
        .filter(each ->
            !(each instanceof RunPlanner
                || each instanceof RunControl.Reset
                || each instanceof Journals.Body))
        .toList();
  }

  private void stir(long value) {
    digest = digest * 6364136223846793005L + value;
    digest ^= digest >>> 29;
  }

  long digest() {
    return digest;
  }

  List<String> lines() {
    return lines == null ? List.of() : List.copyOf(lines);
  }
}
