package dev.holdfast.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.contract.Worker;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JournalAppendsTest {
  private static final int MANY = 60;

  private static PostgresFixture fixture;

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
  }

  private static JournalEntry entry(String name) {
    return new JournalEntry(new EntryKey(name, 1), EntryKind.RUN, "\"" + name + "\"");
  }

  private static List<ClaimedJob> claim(Worker worker, int jobs) {
    fixture
        .store()
        .intake()
        .enqueue(IntStream.range(0, jobs).mapToObj(i -> new JobDraft().build()).toList());
    return worker.claim(jobs);
  }

  /** Writes entries while another one is being written, so that they are one group. */
  private static List<Boolean> append(Worker worker, List<ClaimId> claims) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> all =
          claims.stream()
              .map(claim -> threads.submit(() -> append(worker.incarnation(), claim)))
              .toList();
      return all.stream().map(JournalAppendsTest::result).toList();
    }
  }

  private static boolean append(UUID incarnation, ClaimId claim) {
    return fixture.store().journals().append(incarnation, claim, entry("step-" + claim.token()));
  }

  private static boolean result(Future<Boolean> call) {
    try {
      return call.get(30, TimeUnit.SECONDS);
    } catch (Exception failure) {
      throw new IllegalStateException(failure);
    }
  }

  @Test
  void entriesOfConcurrentJobsAreAllStored() throws Exception {
    Worker worker = Worker.join(fixture.store(), "node-1", JobDraft.QUEUE, JobDraft.TASK);
    List<ClaimId> claims = claim(worker, MANY).stream().map(ClaimedJob::claim).toList();

    assertThat(append(worker, claims)).hasSize(MANY).doesNotContain(false);

    for (ClaimId claim : claims) {
      assertThat(fixture.store().journals().load(claim.id())).containsExactly(entry("step-1"));
    }
  }

  @Test
  void aStaleClaimIsLostAlthoughAValidOneOfTheSameJobIsInItsGroup() throws Exception {
    Worker worker = Worker.join(fixture.store(), "node-1", JobDraft.QUEUE, JobDraft.TASK);
    List<ClaimedJob> first = claim(worker, MANY);
    first.forEach(job -> worker.giveBack(job.claim()));
    List<ClaimedJob> second = worker.claim(MANY);
    List<ClaimId> both =
        second.stream()
            .flatMap(job -> List.of(new ClaimId(job.id(), 1), job.claim()).stream())
            .toList();

    assertThat(append(worker, both))
        .isEqualTo(both.stream().map(claim -> claim.token() == 2).toList());

    for (ClaimedJob job : second) {
      assertThat(fixture.store().journals().load(job.id())).containsExactly(entry("step-2"));
    }
  }
}
