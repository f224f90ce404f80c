package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node behind PgBouncer. */
class PoolerTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final TaskType<String, String> ECHO =
      TaskType.of("test::echo", String.class, String.class);

  @TempDir private Path folder;
  private PostgresFixture fixture;

  @BeforeEach
  void open() {
    assumeTrue(PgBouncer.binary().isPresent(), "pgbouncer is not installed on this machine");
    fixture = new PostgresFixture();
  }

  @AfterEach
  void close() {
    if (fixture != null) {
      fixture.close();
    }
  }

  @Test
  void aNodeBehindTransactionPoolingRunsJobsAndPollsEverySecond() throws Exception {
    try (PgBouncer bouncer = PgBouncer.start(folder, fixture.database(), "transaction");
        HikariDataSource pool = pool(bouncer);
        Lines ours = Lines.of("dev.holdfast");
        Lines pools = Lines.of("com.zaxxer.hikari")) {
      try (PostgresStore store = PostgresStore.on(pool, "holdfast");
          HoldfastNode node =
              HoldfastNode.on(store)
                  // Without the bound, the tenth poll would be 20 s after the ninth.
                  .poll(Duration.ofMillis(1), Duration.ofMinutes(1))
                  .handle(ECHO, (text, context) -> text)
                  .start();
          HoldfastClient aside = HoldfastClient.on(fixture.store())) {
        await()
            .atMost(SOON)
            .until(() ->
                ours.texts(Level.WARN).stream()
                    .anyMatch(line -> line.contains("does not receive")));
        assertThat(node.client().await(node.client().enqueue(ECHO, "from here"), SOON))
            .isEqualTo("from here");
        node.client()
            .enqueueAll(
                IntStream.range(0, 300).mapToObj(i -> JobRequest.of(ECHO, "n" + i)).toList());
        await()
            .atMost(SOON)
            .until(() ->
                aside.count(JobFilter.all()).byState().equals(Map.of(JobState.SUCCEEDED, 301L)));
        // Long enough for the poll interval to grow far beyond a second.
        Thread.sleep(12_000);

        long start = System.nanoTime();
        assertThat(aside.await(aside.enqueue(ECHO, "from elsewhere"), SOON))
            .isEqualTo("from elsewhere");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        start = System.nanoTime();
        assertThat(
                aside.await(
                    aside.enqueue(ECHO, "later", options -> options.runIn(Duration.ofSeconds(2))),
                    SOON))
            .isEqualTo("later");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
        assertThat(store.coordinator().hearsOthers()).isFalse();
      }

      assertThat(ours.all())
          .noneMatch(line -> line.text().contains("receives signals from other nodes again"))
          .noneMatch(line -> line.level().equals(Level.ERROR));
      assertThat(pools.texts(Level.WARN)).isEmpty();
    }
  }

  @Test
  void aNodeBehindSessionPoolingRunsJobsAndReceivesNotifications() throws Exception {
    try (PgBouncer bouncer =
            PgBouncer.start(folder, fixture.database(), "session", "default_pool_size = 20");
        HikariDataSource pool = pool(bouncer);
        Lines ours = Lines.of("dev.holdfast");
        PostgresStore store = PostgresStore.on(pool, "holdfast");
        HoldfastNode node =
            HoldfastNode.on(store)
                // So rarely that only a notification finds a job in time.
                .poll(Duration.ofMinutes(5), Duration.ofMinutes(5))
                .handle(ECHO, (text, context) -> text)
                .start();
        HoldfastClient aside = HoldfastClient.on(fixture.store())) {
      await().atMost(SOON).until(() -> store.coordinator().hearsOthers());

      assertThat(node.client().await(node.client().enqueue(ECHO, "from here"), SOON))
          .isEqualTo("from here");
      assertThat(aside.await(aside.enqueue(ECHO, "from elsewhere"), SOON))
          .isEqualTo("from elsewhere");
      node.client()
          .enqueueAll(IntStream.range(0, 300).mapToObj(i -> JobRequest.of(ECHO, "n" + i)).toList());
      await()
          .atMost(SOON)
          .until(() ->
              aside.count(JobFilter.all()).byState().equals(Map.of(JobState.SUCCEEDED, 302L)));
      assertThat(ours.all())
          .noneMatch(line -> line.text().contains("does not receive"))
          .noneMatch(line -> line.level().equals(Level.ERROR));
    }
  }

  @Test
  void aPoolerThatRejectsOurSettingsIsReportedWithTheRemedy() throws Exception {
    try (PgBouncer bouncer = PgBouncer.start(folder, fixture.database(), "session")) {
      assertThatThrownBy(() -> PostgresStore.connect(through(bouncer)))
          .isInstanceOfSatisfying(
              StoreException.class,
              failure -> assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED))
          .hasMessageContaining("startup parameter")
          .hasMessageContaining("bypasses the pooler")
          .hasMessageContaining("PostgresStore.on")
          .hasMessageNotContaining("try again");
    }
  }

  @Test
  void aPoolerWhoseServerIsAwayCanBeAskedAgain() throws Exception {
    try (PgBouncer bouncer =
        PgBouncer.start(
            folder,
            fixture.database(),
            "session",
            "query_wait_timeout = 2",
            "[databases]",
            "away = host=127.0.0.1 port=1")) {
      Properties properties = new Properties();
      properties.setProperty("user", fixture.database().user());
      properties.setProperty("password", fixture.database().password());
      Database away =
          Database.own(
              new SocketValidatedDataSource(
                  bouncer.through("jdbc:postgresql://127.0.0.1/away"), properties),
              "holdfast");

      // The first error is that of the login, the second that it has failed before.
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> away.run("try this", handle -> handle.execute("select 1")))
            .isInstanceOfSatisfying(
                StoreException.class,
                failure -> assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE))
            .hasMessageContaining("Nothing was changed; try again")
            .hasMessageNotContaining("startup parameter");
      }
    }
  }

  @Test
  void aPoolerThatDropsOurSettingsCausesAWarning() throws Exception {
    try (PgBouncer bouncer =
            PgBouncer.start(
                folder,
                fixture.database(),
                "session",
                "ignore_startup_parameters = options,extra_float_digits");
        Lines lines = Lines.of("dev.holdfast.postgres")) {
      PostgresStore.connect(through(bouncer)).close();

      assertThat(lines.texts(Level.WARN))
          .singleElement()
          .asString()
          .contains("do not have the settings")
          .contains("bypasses the pooler");
    }
  }

  private PostgresSettings through(PgBouncer bouncer) {
    return PostgresSettings.builder(bouncer.through(fixture.database().jdbcUrl()))
        .user(fixture.database().user())
        .password(fixture.database().password())
        .build();
  }

  private HikariDataSource pool(PgBouncer bouncer) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(
        bouncer.through(fixture.database().jdbcUrl())
            + (fixture.database().jdbcUrl().contains("?") ? "&" : "?")
            + "prepareThreshold=0");
    pool.setUsername(fixture.database().user());
    pool.setPassword(fixture.database().password());
    pool.setMaximumPoolSize(8);
    pool.setMinimumIdle(0);
    return pool;
  }
}
