package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which connections of an external pool a store keeps. */
class ExternalPoolTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final TaskType<String, Void> GREEDY = TaskType.of("pool::greedy", String.class);

  private PostgresFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void handlersThatExhaustThePoolDoNotStopHeartbeats() {
    CountDownLatch enough = new CountDownLatch(1);
    try (HikariDataSource pool = fixture.foreignPool(6);
        PostgresStore store = PostgresStore.on(pool, "holdfast");
        HoldfastNode node =
            HoldfastNode.on(store)
                .liveness(LivenessSettings.FAST_FAILOVER)
                .handle(
                    GREEDY,
                    (payload, context) -> {
                      try (Connection kept = pool.getConnection()) {
                        enough.await();
                      }
                      return null;
                    })
                .start();
        Holdfast holdfast = HoldfastClient.on(store)) {
      holdfast.enqueueAll(Collections.nCopies(20, JobRequest.of(GREEDY, "all of it")));
      await()
          .atMost(SOON)
          .until(() ->
              pool.getHikariPoolMXBean().getIdleConnections() == 0
                  && pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
      String incarnation = fixture.ask("select incarnation from holdfast.node");
      long before = beat(incarnation);

      // More heartbeats than fit into the timeout, while nothing else gets a connection.
      await().atMost(SOON).until(() -> beat(incarnation) >= before + 7);

      assertThat(pool.getHikariPoolMXBean().getIdleConnections()).isZero();
      assertThat(fixture.ask("select count(*) from holdfast.node")).isEqualTo("1");
      enough.countDown();
      await()
          .atMost(SOON)
          .until(() ->
              holdfast.count(JobFilter.all()).byState().containsKey(JobState.SUCCEEDED)
                  && node.isReady());
    } finally {
      enough.countDown();
    }
  }

  /**
   * With the fast preset, a reply counts for 2 s after its heartbeat was sent. No other connection
   * is available by then, because handlers wait for every free one.
   */
  @Test
  void aLateReplyDoesNotCloseTheHeartbeatConnection() throws Exception {
    CountDownLatch enough = new CountDownLatch(1);
    AtomicInteger greedy = new AtomicInteger();
    try (FaultProxy proxy = new FaultProxy(SharedServer.server().port());
        HikariDataSource pool = fixture.foreignPool(3)) {
      pool.setJdbcUrl(proxy.through(fixture.database().jdbcUrl()));
      pool.setConnectionTimeout(60_000);
      try (PostgresStore store = PostgresStore.on(pool, "holdfast");
          HoldfastNode node =
              HoldfastNode.on(store)
                  // The reply is later than the next heartbeat, and far from the end of the
                  // timeout.
                  .liveness(
                      LivenessSettings.FAST_FAILOVER.with(
                          liveness -> liveness.timeout(Duration.ofSeconds(20))))
                  .shutdownGrace(Duration.ZERO)
                  .handle(
                      GREEDY,
                      (payload, context) -> {
                        greedy.incrementAndGet();
                        try (Connection kept = pool.getConnection()) {
                          enough.await();
                        }
                        return null;
                      })
                  .start()) {
        node.client().enqueueAll(Collections.nCopies(20, JobRequest.of(GREEDY, "all of it")));
        await()
            .atMost(SOON)
            .until(() ->
                greedy.get() == 20
                    && pool.getHikariPoolMXBean().getActiveConnections() == 3
                    && pool.getHikariPoolMXBean().getThreadsAwaitingConnection() >= 19);
        String incarnation = node.incarnation().toString();
        long before = beat(incarnation);
        await().atMost(SOON).until(() -> beat(incarnation) > before);

        proxy.stallFor(Duration.ofMillis(1_900));

        long after = beat(incarnation);
        await().atMost(SOON).until(() -> beat(incarnation) > after + 5);
        assertThat(node.incarnation()).hasToString(incarnation);
        enough.countDown();
      }
    }
  }

  @Test
  void theHeartbeatConnectionIsReplacedWhenItBreaksAndReturnedInTheEnd() {
    try (HikariDataSource pool = fixture.foreignPool(4)) {
      PostgresStore store = PostgresStore.on(pool, "holdfast");
      NodeRegistration registration =
          Worker.registration("node-1", Set.of("mail"), Set.of("mail::send"));
      store.nodes().register(registration);
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);

      assertThat(fixture.endSessions("external")).isPositive();

      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(() -> store.nodes().beat(registration.incarnation(), 0).isPresent());
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
      store.close();
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @Test
  void aClientKeepsNoConnection() {
    try (HikariDataSource pool = fixture.foreignPool(3);
        PostgresStore store = PostgresStore.on(pool, "holdfast")) {
      store.intake().enqueue(List.of(Drafts.job()));

      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  @Test
  void aPoolOfThreeIsEnoughToMigrateAndToRunJobs() throws Exception {
    try (TestDatabase fresh = SharedServer.freshDatabase();
        HikariDataSource pool = PostgresFixture.foreignPool(fresh, 3);
        PostgresStore store = PostgresStore.on(pool, "holdfast");
        HoldfastNode node =
            HoldfastNode.on(store).handle(GREEDY, (payload, context) -> null).start();
        Holdfast holdfast = HoldfastClient.on(store)) {
      assertThat(node.isReady()).isTrue();
      holdfast.await(holdfast.enqueue(GREEDY, "a little"), SOON);
    }
  }

  @Test
  void aPoolWithTooFewConnectionsIsRejectedInOneSentence() {
    try (HikariDataSource pool = fixture.foreignPool(1)) {
      assertThatThrownBy(() -> new ExternalPool(pool).requireRoom(Duration.ofMillis(500)))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "The given data source provides only 1 connections at once, and Holdfast needs at"
                  + " least 3: it keeps one for heartbeats and one to listen on. Increase the size"
                  + " of the pool. Nothing was written.");
      await().atMost(SOON).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }
  }

  private long beat(String incarnation) {
    return Long.parseLong(
        fixture.ask(
            "select beat from holdfast.node where state = 'ALIVE' and incarnation = '%s'"
                .formatted(incarnation)));
  }
}
