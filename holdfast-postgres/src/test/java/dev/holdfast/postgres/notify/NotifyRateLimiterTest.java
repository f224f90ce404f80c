package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NotifyRateLimiterTest {
  private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5);
  private final NotifyRateLimiter pace = new NotifyRateLimiter(time::get);

  private void pass(Duration duration) {
    time.addAndGet(duration.toNanos());
  }

  private boolean admitsWork(String queue) {
    return pace.admits(new Signal.NewWork(queue, 0));
  }

  private boolean admitsDelay(Duration delay) {
    return pace.admits(new Signal.Scheduled(delay));
  }

  @Test
  void aTopicIsNotifiedOncePerInterval() {
    assertThat(admitsWork("mail")).isTrue();
    assertThat(admitsWork("mail")).isFalse();
    pass(Duration.ofMillis(19));
    assertThat(admitsWork("mail")).isFalse();

    pass(Duration.ofMillis(1));

    assertThat(admitsWork("mail")).isTrue();
  }

  @Test
  void topicsAreLimitedSeparately() {
    assertThat(admitsWork("mail")).isTrue();
    assertThat(admitsWork("print")).isTrue();
    assertThat(admitsDelay(Duration.ofSeconds(1))).isTrue();
    assertThat(admitsDelay(Duration.ofHours(1))).isFalse();
  }

  @Test
  void anEarlierDueTimeThanTheLastOneIsNotified() {
    assertThat(admitsDelay(Duration.ofHours(1))).isTrue();
    assertThat(admitsDelay(Duration.ofSeconds(1))).isTrue();
    assertThat(admitsDelay(Duration.ofSeconds(1))).isFalse();
    assertThat(admitsDelay(Duration.ofMinutes(1))).isFalse();
  }

  @Test
  void theNumberOfRememberedTopicsIsBounded() {
    IntStream.range(0, NotifyRateLimiter.MOST)
        .forEach(n -> assertThat(admitsWork("q" + n)).isTrue());
    assertThat(admitsWork("one-more")).isFalse();

    pass(Duration.ofMillis(20));

    assertThat(admitsWork("one-more")).isTrue();
  }
}
