package dev.holdfast.postgres;

import dev.holdfast.engine.store.Held;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * Claims as two columns, in the order of ids: whoever writes many jobs locks them in that order, so
 * that no two writers wait for each other.
 */
record HeldColumns(List<UUID> ids, List<Long> tokens) {
  static final Comparator<Held> BY_ID = Comparator.comparing(Held::id);

  static HeldColumns of(List<Held> claims) {
    List<Held> sorted = claims.stream().sorted(BY_ID).toList();
    return new HeldColumns(
        sorted.stream().map(held -> held.id().value()).toList(),
        sorted.stream().map(Held::token).toList());
  }
}
