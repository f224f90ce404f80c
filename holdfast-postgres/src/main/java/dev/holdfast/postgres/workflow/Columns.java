package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rows as columns, for {@code unnest}. */
final class Columns {
  private Columns() {}

  static <R, V> List<@Nullable V> of(Collection<R> rows, Function<R, @Nullable V> value) {
    List<@Nullable V> values = new ArrayList<>(rows.size());
    rows.forEach(row -> values.add(value.apply(row)));
    return values;
  }

  static List<UUID> ids(Collection<RunId> runs) {
    return runs.stream().map(RunId::value).toList();
  }
}
