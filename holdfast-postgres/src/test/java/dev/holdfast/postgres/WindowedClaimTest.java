package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.postgres.claim.PgClaims;
import dev.holdfast.postgres.claim.ReadyScan;
import dev.holdfast.postgres.db.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims through windows find every job in order, regardless of its priority. */
class WindowedClaimTest {
  private static final UUID NODE = new UUID(0x7000, 1);

  private final PostgresFixture fixture = new PostgresFixture();
  private Claims claims;
  private long lastId;
  private long claimNo;

  @BeforeEach
  void open() {
    fixture
        .store()
        .nodes()
        .register(
            new NodeRegistration(
                NODE,
                "n",
                null,
                "h",
                1,
                "v",
                Timeouts.of(Duration.ofMinutes(1)),
                Set.of("q"),
                Set.of("a", "b"),
                10,
                null,
                Set.of(),
                Set.of(),
                Advice.NONE));
    Database database =
        Database.own(
            new Connections(fixture.settings().build(), "windowed").single(),
            PostgresSettings.DEFAULT_SCHEMA);
    // Every claim counts as slow, so that windows are used from the second claim.
    claims =
        new PgClaims(
            database, PostgresSettings.DEFAULT_AGING, new ReadyScan.Slow(Duration.ZERO, 0));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void enqueue(int count, Random random) {
    List<NewJob> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(
          new NewJob(
              new JobId(new UUID(0x7000, ++lastId)),
              NewJob.IdUse.FRESH,
              When.NOW,
              null,
              new NewJob.Content(
                  random.nextBoolean() ? "a" : "b",
                  "q",
                  random.nextInt(10),
                  null,
                  Set.of(),
                  null,
                  null,
                  NewJob.Stamp.NONE)));
    }
    fixture.store().intake().enqueue(jobs);
  }

  private List<ClaimedJob> claim(List<String> tasks, int wanted) {
    return claims.claim(
        new ClaimRequest(
            NODE, ++claimNo, "q", tasks, wanted, 0, null, ClaimRequest.Suspects.NONE, Set.of()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void everyJobIsFound(int tasks) {
    List<String> names = List.of("a", "b").subList(0, tasks);
    Random random = new Random(42);
    Set<JobId> claimed = new HashSet<>();
    for (int round = 0; round < 60; round++) {
      enqueue(random.nextInt(30), random);
      List<ClaimedJob> batch = claim(names, 1 + random.nextInt(25));
      batch.forEach(job -> assertThat(claimed.add(job.id())).isTrue());
      assertThat(batch)
          .isSortedAccordingTo((one, other) ->
              one.readyAt()
                  .minus(PostgresSettings.DEFAULT_AGING.multipliedBy(one.priority()))
                  .compareTo(
                      other
                          .readyAt()
                          .minus(PostgresSettings.DEFAULT_AGING.multipliedBy(other.priority()))));
    }
    long expected =
        fixture.store().queries().list(JobFilter.all(), null, 10_000).stream()
            .filter(job -> names.contains(job.task()))
            .count();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> {
          claim(names, 100).forEach(job -> claimed.add(job.id()));
          return claimed.size() == expected;
        });
  }

  @Test
  void aJobOutsideTheWindowsIsFoundAtOnceIfTheyReturnTooLittle() {
    enqueue(20, new Random(1));
    claim(List.of("a"), 100);
    ClaimedJob old = claim(List.of("b"), 1).getFirst();
    claim(List.of("b"), 100);
    fixture.passTime(Duration.ofHours(1));
    fixture.store().claims().giveBack(NODE, List.of(new ReleasedClaim(old.claim(), true)));

    assertThat(claim(List.of("b"), 5)).extracting(ClaimedJob::id).containsExactly(old.id());
  }
}
