package dev.holdfast.engine.held;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.held.FairSlots.Share;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FairSlotsTest {
  private final FairSlots all = new FairSlots(100, Ticker.system(), () -> true);

  private static Slots of(Share share) {
    return new Slots(share.lock(), List.of(share));
  }

  private static int takeAll(Slots slots) {
    int taken = 0;
    for (int got = slots.reserve(1_000); got > 0; got = slots.reserve(1_000)) {
      taken += got;
    }
    return taken;
  }

  @Test
  void aTenantThatCompetesWithNoneLeavesTheReserveToWhoeverComesNext() {
    Slots busy = of(all.share(1, null));
    Slots late = of(all.share(1, null));

    assertThat(takeAll(busy)).isEqualTo(90);
    assertThat(takeAll(late)).as("is below its share and may use the reserve").isEqualTo(10);
    assertThat(all.used()).isEqualTo(100);
  }

  @Test
  void theOnlyTenantGetsAllSlots() {
    FairSlots own = new FairSlots(100, Ticker.system(), () -> false);

    assertThat(takeAll(of(own.share(1, null)))).isEqualTo(100);
  }

  @Test
  void tenantsThatCompeteTakeTurns() {
    Slots one = of(all.share(1, null));
    Slots other = of(all.share(1, null));
    assertThat(one.reserve(1)).isEqualTo(1);
    assertThat(other.reserve(1)).isEqualTo(1);

    assertThat(one.reserve(1_000)).as("half of what is free").isEqualTo(49);
    assertThat(other.reserve(1_000)).isEqualTo(24);
  }

  @Test
  void theTurnsOfATenantGrowWhileItsJobsEndQuicklyAndOnlyThen() {
    AtomicLong now = new AtomicLong();
    FairSlots many = new FairSlots(100, () -> new Moment(now.get()), () -> true);
    for (int i = 0; i < 49; i++) {
      assertThat(of(many.share(1, null)).reserve(1)).isEqualTo(1);
    }
    Slots busy = of(many.share(1, null));
    assertThat(busy.reserve(100)).as("its part of what is free").isEqualTo(1);
    busy.release(1);
    assertThat(busy.reserve(100)).isEqualTo(2);
    busy.release(2);
    assertThat(busy.reserve(100)).isEqualTo(4);
    busy.release(4);
    for (int i = 0; i < 6; i++) {
      busy.release(busy.reserve(100));
    }
    assertThat(busy.reserve(100)).as("all but the reserve").isEqualTo(41);
    now.addAndGet(Duration.ofMillis(101).toNanos());
    assertThat(busy.reserve(100)).as("its jobs have become slow").isZero();
    busy.release(41);
    assertThat(busy.reserve(100)).isEqualTo(1);
  }

  @Test
  void aWeightRaisesTheShareAndTheTurn() {
    Slots light = of(all.share(1, null));
    Slots heavy = of(all.share(3, null));
    assertThat(light.reserve(1)).isEqualTo(1);
    assertThat(heavy.reserve(1)).isEqualTo(1);
    light.release(1);

    assertThat(light.reserve(10)).isEqualTo(10);
    int more = takeAll(heavy);

    assertThat(more + 1).as("its share of 75, and what the other leaves open").isEqualTo(80);
    assertThat(takeAll(light)).as("the reserve is open to it").isEqualTo(10);
  }

  @Test
  void aCapHoldsWhateverIsFree() {
    Share share = all.share(1, 7);
    Slots capped = of(share);

    assertThat(takeAll(capped)).isEqualTo(7);
    share.configure(1, 9);
    assertThat(takeAll(capped)).isEqualTo(2);
  }

  @Test
  void slotsOfATenantThatHasLeftAreFree() {
    Share share = all.share(1, null);
    Slots gone = of(share);
    int taken = takeAll(gone);
    gone.release(taken);
    share.close();

    assertThat(all.used()).isZero();
  }
}
