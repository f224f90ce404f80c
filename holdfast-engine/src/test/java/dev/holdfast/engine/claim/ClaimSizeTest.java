package dev.holdfast.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Portions;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimSizeTest {
  private static final String LARGE = "x".repeat(1 << 20);

  private final ClaimSize size = new ClaimSize(1_000);

  private void see(int count, String payload) {
    size.saw(Collections.nCopies(count, Jobs.of("task", 1, payload)));
  }

  @Test
  void theSizeGrowsToItsBoundWhilePayloadsAreSmall() {
    assertThat(size.most()).isEqualTo(32);

    for (int i = 0; i < 6; i++) {
      see(size.most(), "{}");
    }

    assertThat(size.most()).isEqualTo(1_000);
  }

  @Test
  void largePayloadsReduceTheSizeToWhatFitsIntoOneResult() {
    see(32, LARGE);

    assertThat((long) size.most() * LARGE.length()).isLessThanOrEqualTo(Portions.LARGEST);
    assertThat(size.most()).isGreaterThan(1);
  }

  @Test
  void aSinglePayloadMayExceedTheSizeOfAResult() {
    see(1, "x".repeat((int) Portions.LARGEST + 1));

    assertThat(size.most()).isEqualTo(1);
  }

  @Test
  void theSizeRecoversSlowlyWhenPayloadsAreSmallAgain() {
    see(32, LARGE);
    int few = size.most();
    see(few, "{}");
    assertThat(size.most()).isLessThan(few * 2);

    for (int i = 0; i < 60; i++) {
      see(size.most(), "{}");
    }

    assertThat(size.most()).isEqualTo(1_000);
  }

  @Test
  void anEmptyClaimDoesNotChangeTheSize() {
    List<ClaimedJob> none = List.of();
    size.saw(none);

    assertThat(size.most()).isEqualTo(32);
  }
}
