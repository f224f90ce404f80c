package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.memory.BrokenRuns;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.memory.ManualClock;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The in-memory store passes the contract; tests of its own settings. */
class InMemoryStoreTest extends StoreContract {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final ManualClock clock = new ManualClock(START);

  @Override
  protected StoreFixture newFixture() {
    return new Fixture(new InMemoryStore(clock), clock);
  }

  private record Fixture(InMemoryStore store, ManualClock clock) implements StoreFixture {
    @Override
    public void passTime(Duration time) {
      clock.advance(time);
    }

    @Override
    public void breakConsistency(Inconsistency how, RunId run, int step) {
      BrokenRuns.apply(store, how, run, step);
    }
  }

  @Test
  void theStoreDoesNotSupportDatabaseTransactions() {
    Connection connection =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> null);

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> new InMemoryStore(clock).intakeIn(connection, true))
        .withMessageContaining("in-memory store");
  }

  @Test
  void theStoreUsesTheGivenClock() {
    Store store = new InMemoryStore(clock);
    store.intake().enqueue(List.of(new JobDraft().build()));
    clock.advance(Duration.ofMinutes(5));

    ClaimedJob claimed = Worker.join(store, "node-1", JobDraft.QUEUE, JobDraft.TASK).claimOne();

    assertThat(claimed.createdAt()).isEqualTo(START);
    assertThat(claimed.claimedAt()).isEqualTo(START.plus(Duration.ofMinutes(5)));
  }

  @Test
  void theStoreUsesTheGivenAging() {
    Store store = new InMemoryStore(clock, Duration.ofSeconds(1));
    store.intake().enqueue(List.of(new JobDraft().priority(0).payload("patient").build()));
    clock.advance(Duration.ofSeconds(10));
    store.intake().enqueue(List.of(new JobDraft().priority(9).payload("urgent").build()));

    assertThat(Worker.join(store, "node-1", JobDraft.QUEUE, JobDraft.TASK).claim(2))
        .extracting(ClaimedJob::payload)
        .containsExactly("patient", "urgent");
  }

  @Test
  void jobsEnqueuedAtTheSameInstantAreClaimedFirstComeFirstServed() {
    Store store = new InMemoryStore(clock);
    List<String> payloads = List.of("a", "b", "c", "d");
    payloads.forEach(
        payload -> store.intake().enqueue(List.of(new JobDraft().payload(payload).build())));

    assertThat(Worker.join(store, "node-1", JobDraft.QUEUE, JobDraft.TASK).claim(4))
        .extracting(ClaimedJob::payload)
        .containsExactlyElementsOf(payloads);
  }

  @Test
  void theStoreCarriesSignalsBetweenItsUsers() {
    Store store = new InMemoryStore(clock);
    List<Signal> received = new ArrayList<>();
    Runnable stop = store.coordinator().onSignal(received::add);
    Signal signal = new Signal.NewWork(JobDraft.QUEUE, 4);

    store.coordinator().announce(signal);
    stop.run();
    store.coordinator().announce(signal);

    assertThat(received).containsExactly(signal);
  }
}
