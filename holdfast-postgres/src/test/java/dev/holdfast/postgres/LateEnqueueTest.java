package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Enqueued.Outcome;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A first enqueue that is already executing on the server when its repeat overtakes it. */
class LateEnqueueTest {
  private PostgresFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
    // Blocks a session of this name during its insert, after it has taken its snapshot.
    fixture.execute(
        """
        create function holdfast.hold_up() returns trigger language plpgsql as $$
        begin
          if current_setting('application_name') like 'delayed%' then
            perform pg_advisory_xact_lock_shared(8);
          end if;
          return new;
        end $$;
        create trigger hold_up before insert on holdfast.job
          for each row execute function holdfast.hold_up()
        """);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aLateEnqueueCreatesNothingWhenItsJobHasEndedSinceItsSnapshot() throws Exception {
    NewJob job = Drafts.job();
    try (PostgresStore delayed = PostgresStore.connect(fixture.settings().name("delayed").build());
        Connection gate = fixture.database().connect()) {
      gate.setAutoCommit(false);
      run(gate, "select pg_advisory_xact_lock(8)");
      CompletableFuture<List<Admission>> first =
          CompletableFuture.supplyAsync(() -> delayed.intake().enqueue(List.of(job)));
      await().until(() -> waiting().equals("1"));

      List<Admission> repeat = fixture.store().intake().enqueue(List.of(job.repeated()));
      Worker worker = Worker.join(fixture.store(), "node-1", Drafts.QUEUE, Drafts.TASK);
      worker.succeed(worker.claimOne());
      gate.commit();

      assertThat(repeat).containsExactly(new Admission(job.id(), Outcome.CREATED));
      assertThat(first.get(10, TimeUnit.SECONDS))
          .containsExactly(new Admission(job.id(), Outcome.EXISTING));
    }
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("0");
    assertThat(fixture.ask("select count(*) from holdfast.job_history")).isEqualTo("1");
  }

  private String waiting() {
    return fixture.ask("select count(*) from pg_locks where locktype = 'advisory' and not granted");
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
