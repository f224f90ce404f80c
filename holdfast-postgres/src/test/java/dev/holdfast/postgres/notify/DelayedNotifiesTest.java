package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DelayedNotifiesTest {
  private static final Signal MAIL = new Signal.NewWork("mail", 4);

  private final DelayedNotifies notifies = new DelayedNotifies(Duration.ofMillis(50));
  private long now = Long.MAX_VALUE - 5;

  @Test
  void aNotificationIsDueOnceAfterTheDelay() {
    assertThat(request(MAIL)).isTrue();
    assertThat(afterPassing(49)).isEmpty();
    assertThat(notifies.next(now)).hasValue(Duration.ofMillis(1).toNanos());

    assertThat(afterPassing(1)).containsExactly(MAIL);

    assertThat(afterPassing(1000)).isEmpty();
    assertThat(notifies.next(now)).isEmpty();
  }

  @Test
  void aRepeatedNotificationIsDueAgainAfterTheWholeDelay() {
    request(MAIL);
    assertThat(afterPassing(30)).isEmpty();
    assertThat(request(MAIL)).isFalse();

    assertThat(afterPassing(20)).containsExactly(MAIL);
    assertThat(afterPassing(29)).isEmpty();
    assertThat(afterPassing(1)).containsExactly(MAIL);
    assertThat(afterPassing(1000)).isEmpty();
  }

  @Test
  void constantNotificationsAreSentOncePerDelay() {
    int announced = 0;
    for (int millis = 0; millis < 1000; millis++) {
      request(MAIL);
      announced += afterPassing(1).size();
    }

    assertThat(announced).isBetween(19, 21);
  }

  @Test
  void theMostUrgentNotificationOfAQueueIsSent() {
    request(new Signal.NewWork("mail", 2));
    request(new Signal.NewWork("mail", 7));
    request(new Signal.NewWork("print", 1));
    request(new Signal.NewWork("mail", 3));

    assertThat(afterPassing(50))
        .containsExactlyInAnyOrder(new Signal.NewWork("mail", 7), new Signal.NewWork("print", 1));
  }

  @Test
  void stagersAreNotifiedOfDelayedJobs() {
    request(new Signal.Scheduled(Duration.ofHours(1)));

    assertThat(afterPassing(50)).containsExactly(new Signal.Scheduled(Duration.ZERO));
  }

  @Test
  void theNumberOfRememberedTopicsIsBounded() {
    IntStream.range(0, DelayedNotifies.MOST + 1)
        .forEach(n -> request(new Signal.NewWork("q" + n, 4)));

    assertThat(afterPassing(50)).hasSize(DelayedNotifies.MOST);
  }

  private boolean request(Signal signal) {
    return notifies.want(signal, now);
  }

  private List<Signal> afterPassing(int millis) {
    now += Duration.ofMillis(millis).toNanos();
    List<Signal> due = new ArrayList<>();
    notifies.takeDue(now, due::add);
    return due;
  }
}
