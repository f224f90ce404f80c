package dev.holdfast.postgres.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.Drafts;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Setting a limit while jobs that count towards it are being written. */
class LimitBackfillTest {
  private static PostgresFixture fixture;

  private final NewJob small = Drafts.job();
  private final NewJob large = Drafts.job();
  private Connection writer;

  enum Limit {
    OF_TASK("task_capped") {
      @Override
      void set() {
        fixture.store().tasks().limit(Drafts.TASK, 3);
      }
    },
    OF_QUEUE("capped") {
      @Override
      void set() {
        fixture.store().queues().limit(Drafts.QUEUE, 3);
      }
    };

    private final String mark;

    Limit(String mark) {
      this.mark = mark;
    }

    abstract void set();

    String marked() {
      return fixture.ask("select count(*) from holdfast.job where " + mark);
    }
  }

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void holdTwoJobsOfWhichTheLaterIdWasWrittenFirst() throws SQLException {
    fixture.emptied();
    Worker worker = Worker.join(fixture.store(), "node-1", Drafts.QUEUE, Drafts.TASK);
    for (NewJob job : List.of(large, small)) {
      fixture.store().intake().enqueue(List.of(job));
      worker.claimOne();
    }
    writer = fixture.database().connect();
    writer.setAutoCommit(false);
  }

  @AfterEach
  void leave() throws SQLException {
    writer.close();
  }

  @ParameterizedTest
  @EnumSource
  void jobsAreLockedInTheOrderOfIds(Limit limit) throws SQLException {
    write(small);
    CompletableFuture<Void> set = CompletableFuture.runAsync(limit::set);
    awaitWaiting();

    write(large);
    writer.commit();

    set.join();
    assertThat(limit.marked()).isEqualTo("2");
  }

  @ParameterizedTest
  @EnumSource
  void aFailedBackfillIsRepeated(Limit limit) throws SQLException {
    write(small);
    CompletableFuture<Void> set = CompletableFuture.runAsync(limit::set);
    awaitWaiting();

    fixture.execute("select pg_terminate_backend(pid) from pg_stat_activity " + WAITING);
    writer.commit();

    set.join();
    assertThat(limit.marked()).isEqualTo("2");
  }

  private static final String WAITING =
      "where datname = current_database() and wait_event_type = 'Lock'";

  private static void awaitWaiting() {
    await()
        .until(() -> !fixture.ask("select count(*) from pg_stat_activity " + WAITING).equals("0"));
  }

  private void write(NewJob job) throws SQLException {
    try (PreparedStatement statement =
        writer.prepareStatement("update holdfast.job set payload = payload where id = ?")) {
      statement.setObject(1, job.id().value());
      statement.executeUpdate();
    }
  }
}
