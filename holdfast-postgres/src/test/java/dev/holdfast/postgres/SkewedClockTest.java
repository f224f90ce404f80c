package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.postgres.claim.PgClaims;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.contract.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A server whose clock jumps back between two statements. */
class SkewedClockTest {
  // Sessions with this schema first in their search path use this clock. The first statement that
  // updates jobs turns it back by an hour.
  private static final String CLOCK =
      """
      create schema skewed;
      create table skewed.clock (ahead interval not null);
      insert into skewed.clock values ('0');
      create function skewed.now() returns timestamptz language plpgsql stable as
        'begin return pg_catalog.now() + (select ahead from skewed.clock); end';
      create function skewed.turn_back() returns trigger language plpgsql as
        'begin update skewed.clock set ahead = interval ''-1 hour''; return null; end';
      """;

  private static final String TURN_BACK =
      """
      create trigger turn_back after update on holdfast.job
      for each statement execute function skewed.turn_back()
      """;

  @Test
  void aClaimedJobThatDoesNotStartIsNeverStuck() {
    try (PostgresFixture fixture = new PostgresFixture();
        HikariDataSource pool = fixture.foreignPool(2)) {
      fixture.execute(CLOCK);
      pool.setConnectionInitSql("set search_path = skewed, pg_catalog");
      PgClaims claims =
          new PgClaims(
              Database.own(pool, PostgresSettings.DEFAULT_SCHEMA), PostgresSettings.DEFAULT_AGING);
      Worker worker = Worker.join(fixture.store(), "node-1", JobDraft.QUEUE, JobDraft.TASK);
      JobId id =
          fixture
              .store()
              .intake()
              .enqueue(List.of(new JobDraft().startWithin(Duration.ofMinutes(1)).build()))
              .getFirst()
              .id();
      ClaimId held = worker.prefetchOne().claim();
      fixture.passTime(Duration.ofMinutes(2));
      fixture.execute(TURN_BACK);

      assertThat(claims.start(worker.incarnation(), List.of(held))).isEmpty();

      assertThat(fixture.ask("select ahead < interval '0' from skewed.clock")).isEqualTo("t");
      assertThat(fixture.store().queries().find(Set.of(id)).get(id))
          .satisfies(job -> assertThat(job.state()).isEqualTo(JobState.EXPIRED));
    }
  }
}
