package dev.holdfast.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.contract.Worker;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.node.NodeTestBase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Durable steps whose changes are committed together with their journal entry. */
class StepTransactionTest extends NodeTestBase {
  private static final EntryKey KEY = new EntryKey("book", 1);

  private static PostgresFixture fixture;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    fixture.execute("create table booking (note text)");
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void empty() {
    fixture.emptied();
    fixture.execute("truncate booking");
  }

  @Override
  protected Store store() {
    return fixture.store();
  }

  private static String bookings() {
    return fixture.ask("select count(*) from booking");
  }

  private static String book(Connection transaction) throws SQLException {
    try (Statement statement = transaction.createStatement()) {
      statement.execute("insert into booking values ('booked')");
    }
    return "booked";
  }

  private String resultOf(TaskHandler<Note, String> handler) throws Exception {
    start(node().handle(ECHO, handler));
    JobId id = client().enqueue(ECHO, new Note("x")).id();
    return String.valueOf(client().await(id, String.class, SOON));
  }

  @Test
  void rowsAndEntryAreCommittedOnce() throws Exception {
    String result =
        resultOf((note, context) -> {
          String booked =
              context.steps().transaction("book", String.class, StepTransactionTest::book);
          if (context.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          return "%s by attempt %d".formatted(booked, context.attempt());
        });

    assertThat(result).isEqualTo("booked by attempt 2");
    assertThat(bookings()).isEqualTo("1");
  }

  @Test
  void aStepThatThrowsLeavesNeitherRowsNorEntry() throws Exception {
    String result =
        resultOf((note, context) ->
            context
                .steps()
                .transaction(
                    "book",
                    String.class,
                    transaction -> {
                      book(transaction);
                      if (context.attempt() == 1) {
                        throw new IllegalStateException("after the insert");
                      }
                      return "attempt " + context.attempt();
                    }));

    assertThat(result).isEqualTo("attempt 2");
    assertThat(bookings()).isEqualTo("1");
  }

  @Test
  void aResultThatCannotBeStoredRollsTheTransactionBack() throws Exception {
    start(
        node()
            .handle(
                ECHO,
                (note, context) ->
                    context
                        .steps()
                        .transaction(
                            "book",
                            String.class,
                            transaction -> book(transaction) + "x".repeat(1 << 20))));
    JobId id = client().enqueue(ECHO, new Note("x")).id();

    awaitState(id, JobState.FAILED);

    assertThat(bookings()).isEqualTo("0");
  }

  @Test
  void afterALostReplyTheJournalTellsThatTheTransactionWasCommitted() throws Exception {
    FaultyStore faulty = new FaultyStore(store()).loseReply(StoreMethod.STEP_TRANSACTION);
    start(
        node(faulty)
            .handle(
                ECHO,
                (note, context) ->
                    context.steps().transaction("book", String.class, StepTransactionTest::book)
                        + " by attempt "
                        + context.attempt()));
    JobId id = client().enqueue(ECHO, new Note("x")).id();

    assertThat(client().await(id, String.class, SOON)).isEqualTo("booked by attempt 1");
    assertThat(bookings()).isEqualTo("1");
  }

  @Test
  void aStaleHolderExecutesNothing() throws Exception {
    Worker worker = Worker.join(store(), "node-1", JobDraft.QUEUE, JobDraft.TASK);
    store().intake().enqueue(List.of(new JobDraft().build()));
    ClaimedJob stale = worker.claimOne();
    worker.retryIn(stale, Duration.ZERO);
    ClaimedJob current = worker.claimOne();
    Journals journals = store().journals();

    assertThat(
            journals.transaction(
                worker.incarnation(), stale.claim(), KEY, StepTransactionTest::book))
        .isFalse();
    assertThat(bookings()).isEqualTo("0");
    assertThat(
            journals.transaction(
                worker.incarnation(), current.claim(), KEY, StepTransactionTest::book))
        .isTrue();
    assertThat(bookings()).isEqualTo("1");
    assertThat(journals.load(stale.id()))
        .containsExactly(new JournalEntry(KEY, EntryKind.TRANSACTION, "booked"));
  }

  @Test
  void aStepCannotEndItsTransaction() throws Exception {
    Worker worker = Worker.join(store(), "node-1", JobDraft.QUEUE, JobDraft.TASK);
    store().intake().enqueue(List.of(new JobDraft().build()));
    ClaimedJob job = worker.claimOne();

    assertThatThrownBy(() ->
            store()
                .journals()
                .transaction(
                    worker.incarnation(),
                    job.claim(),
                    KEY,
                    transaction -> {
                      book(transaction);
                      transaction.commit();
                      return null;
                    }))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("commit()");
    assertThat(bookings()).isEqualTo("0");
  }
}
