package dev.holdfast.engine.held;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SlotsTest {

  @Test
  void aReservationCountsAgainstEveryPool() {
    Slots.Pool node = new Slots.Pool(10);
    Slots.Pool mail = new Slots.Pool(4);
    Slots.Pool video = new Slots.Pool(100);
    Object lock = new Object();
    Slots mailSlots = new Slots(lock, List.of(node, mail));
    Slots videoSlots = new Slots(lock, List.of(node, video));

    assertThat(mailSlots.reserve(100)).isEqualTo(4);
    assertThat(videoSlots.reserve(100)).isEqualTo(6);
    assertThat(mailSlots.reserve(1)).isZero();
    mailSlots.release(2);
    assertThat(videoSlots.free()).isEqualTo(2);
    assertThat(videoSlots.capacity()).isEqualTo(10);
    assertThat(mailSlots.capacity()).isEqualTo(4);
  }
}
