package dev.holdfast.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a client replays. */
class SubscriptionTest {
  private static final int STORED = 1_000;

  /** A feed of runs that have many events, which are all stored. */
  private static final class StoredEvents implements Feed {
    private final AtomicInteger pages = new AtomicInteger();
    private final AtomicInteger clients = new AtomicInteger();

    @Override
    public List<RunEvent> events(RunId run, long after) {
      pages.incrementAndGet();
      return LongStream.rangeClosed(after + 1, Math.min(STORED, after + TenantFeed.PAGE))
          .mapToObj(seq -> new RunEvent(seq, Instant.EPOCH, RunEvent.Kind.STEP_STARTED, "s", null))
          .toList();
    }

    @Override
    public String text(RunEvent event) {
      return "{\"seq\":%d}".formatted(event.seq());
    }

    @Override
    public void add(Subscription subscription, Map<RunId, Long> from) {
      clients.incrementAndGet();
    }

    @Override
    public void remove(Subscription subscription) {
      clients.decrementAndGet();
    }

    @Override
    public void close() {}
  }

  @Test
  void storedEventsAreReadAtThePaceOfTheClient() throws Exception {
    StoredEvents feed = new StoredEvents();
    Topics run = Topics.parse(List.of("run:" + UUID.randomUUID()), null);
    try (Subscription client = new Subscription(feed, run, () -> {})) {
      for (int seq = 1; seq <= STORED; seq++) {
        assertThat(client.next(Duration.ZERO).orElseThrow().data())
            .endsWith("\"seq\":%d}".formatted(seq));
        assertThat(feed.pages.get())
            .as("pages after %d events", seq)
            .isEqualTo(1 + (seq - 1) / TenantFeed.PAGE);
      }
      assertThat(client.next(Duration.ZERO)).isEmpty();
      assertThat(feed.clients.get()).isEqualTo(1);
    }
    assertThat(feed.clients.get()).isZero();
  }
}
