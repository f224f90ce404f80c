package dev.holdfast.postgres.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.postgres.db.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Looks for marks do not read past all that were deleted, and miss none that is committed late. */
class MarkReadsTest {
  private static final String SESSIONS = "looks-for-marks";
  private static PostgresFixture fixture;

  private final AtomicLong nanos = new AtomicLong();
  private MarkReads reads;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void empty() {
    fixture.emptied();
    PGSimpleDataSource sessions = new PGSimpleDataSource();
    sessions.setUrl(fixture.database().jdbcUrl());
    sessions.setUser(fixture.database().user());
    sessions.setPassword(fixture.database().password());
    sessions.setApplicationName(SESSIONS);
    reads = new MarkReads(Database.own(sessions, "holdfast"), nanos::get);
  }

  @Test
  void aLookUnderAnOldSnapshotDoesNotReadAllDeletedMarks() throws SQLException {
    try (Connection snapshot = fixture.database().connect()) {
      snapshot.setAutoCommit(false);
      snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (Statement statement = snapshot.createStatement()) {
        statement.execute("select count(*) from holdfast.run_mark");
      }

      writeAndTake(2_000);
      long few = blocksPerLook();
      writeAndTake(8_000);
      long many = blocksPerLook();

      assertThat(few).isLessThan(50);
      assertThat(many).isLessThan(50);
    }
  }

  @Test
  void aMarkIsFoundUntilItIsTaken() {
    RunId one = mark();
    RunId other = mark();

    assertThat(reads.find(10)).containsExactly(one, other);
    assertThat(reads.find(10)).containsExactly(one, other);
    take(one);
    assertThat(reads.find(10)).containsExactly(other);
    take(other);
    assertThat(reads.find(10)).isEmpty();
  }

  @Test
  void aMarkThatIsCommittedAfterYoungerOnesIsFoundAtOnce() throws SQLException {
    RunId late = ChainPlanner.newId();
    try (Connection open = fixture.database().connect()) {
      markIn(open, late);
      RunId younger = mark();
      assertThat(reads.find(10)).containsExactly(younger);
      take(younger);
      assertThat(reads.find(10)).isEmpty();
      assertThat(reads.find(10)).isEmpty();

      open.commit();
    }

    assertThat(reads.find(10)).containsExactly(late);
  }

  @Test
  void aMarkThatIsCommittedVeryLateIsFoundWithinAMinute() throws SQLException {
    RunId late = ChainPlanner.newId();
    try (Connection open = fixture.database().connect()) {
      markIn(open, late);
      take(mark());
      assertThat(reads.find(10)).isEmpty();
      pass(MarkScan.PATIENCE);
      // The next look no longer waits for the open transaction.
      assertThat(reads.find(10)).isEmpty();
      open.commit();
    }
    assertThat(reads.find(10)).isEmpty();

    pass(MarkScan.WHOLE.minus(MarkScan.PATIENCE));

    assertThat(reads.find(10)).containsExactly(late);
  }

  @Test
  void aRunThatCannotBeAdvancedIsFoundOnceAMinute() {
    RunId stuck = mark();
    assertThat(reads.find(10)).containsExactly(stuck);
    pass(MarkScan.PATIENCE);
    assertThat(reads.find(10)).containsExactly(stuck);

    RunId other = mark();
    assertThat(reads.find(10)).containsExactly(other);

    pass(MarkScan.WHOLE.minus(MarkScan.PATIENCE));
    assertThat(reads.find(10)).containsExactly(stuck, other);
  }

  @Test
  void moreMarksThanTheLimitAreFoundOneAfterTheOther() {
    List<RunId> all = Stream.generate(MarkReadsTest::mark).limit(7).toList();

    assertThat(reads.find(3)).containsExactlyElementsOf(all.subList(0, 3));
    assertThat(reads.find(3)).containsExactlyElementsOf(all.subList(3, 6));
    assertThat(reads.find(3)).containsExactly(all.get(6), all.get(0), all.get(1));
  }

  @Test
  void aRunWithManyMarksDoesNotHideOthers() {
    RunId busy = mark();
    for (int i = 0; i < 9; i++) {
      insert(busy);
    }
    RunId other = mark();

    assertThat(reads.find(3)).containsExactly(busy, other);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private static RunId mark() {
    RunId run = ChainPlanner.newId();
    insert(run);
    return run;
  }

  private static void insert(RunId run) {
    fixture.execute(insertion(run));
  }

  private static void markIn(Connection open, RunId run) throws SQLException {
    open.setAutoCommit(false);
    try (Statement statement = open.createStatement()) {
      statement.execute(insertion(run));
    }
  }

  private static String insertion(RunId run) {
    return "insert into holdfast.run_mark (run_id, kind, step) values ('%s', 'LOOK', -1)"
        .formatted(run);
  }

  private static void take(RunId run) {
    fixture.execute("delete from holdfast.run_mark where run_id = '%s'".formatted(run));
  }

  /** Writes marks, and deletes them in other transactions, as advances do. */
  private static void writeAndTake(int count) {
    fixture.execute(
        """
        do $$
        begin
          for i in 1..%d loop
            insert into holdfast.run_mark (run_id, kind, step)
            select gen_random_uuid(), 'LOOK', -1 from generate_series(1, 100);
            commit;
            delete from holdfast.run_mark;
            commit;
          end loop;
        end $$
        """
            .formatted(count / 100));
  }

  /** How many pages a look reads, when earlier looks have seen what there was. */
  private long blocksPerLook() {
    assertThat(reads.find(1_000)).isEmpty();
    long before = blocks();
    int looks = 10;
    for (int i = 0; i < looks; i++) {
      assertThat(reads.find(1_000)).isEmpty();
    }
    return (blocks() - before) / looks;
  }

  /** Sessions report what they have read when they end. */
  private static long blocks() {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            fixture
                .ask(
                    "select count(*) from pg_stat_activity where application_name = '%s'"
                        .formatted(SESSIONS))
                .equals("0"));
    return Long.parseLong(
        fixture.ask(
            """
            select heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
            from pg_statio_user_tables where relname = 'run_mark'
            """));
  }
}
