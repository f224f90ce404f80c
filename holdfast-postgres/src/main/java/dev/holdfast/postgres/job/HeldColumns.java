package dev.holdfast.postgres.job;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * Claims as columns, in the order of ids. Every statement that writes many jobs locks them in that
 * order, so that two of them cannot deadlock.
 */
public record HeldColumns(List<UUID> ids, List<Long> tokens, List<Boolean> ran) {
  private static final Comparator<ReleasedClaim> BY_ID =
      Comparator.comparing(back -> back.claim().id());

  public static HeldColumns of(List<ClaimId> claims) {
    return ofHandBacks(claims.stream().map(held -> new ReleasedClaim(held, true)).toList());
  }

  public static HeldColumns ofHandBacks(List<ReleasedClaim> claims) {
    List<ReleasedClaim> sorted = claims.stream().sorted(BY_ID).toList();
    return new HeldColumns(
        sorted.stream().map(back -> back.claim().id().value()).toList(),
        sorted.stream().map(back -> back.claim().token()).toList(),
        sorted.stream().map(ReleasedClaim::ran).toList());
  }
}
