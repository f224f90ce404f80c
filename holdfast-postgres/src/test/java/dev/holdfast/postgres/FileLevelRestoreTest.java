package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.embedded.EmbeddedBackup;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.embedded.EmbeddedRestore;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import dev.holdfast.engine.store.LeaseStore.Result;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.restore.NewEpoch;
import dev.holdfast.tck.contract.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The files of a database are restored from a backup, while a holder of the time after the backup
 * is still there.
 */
class FileLevelRestoreTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final TaskType<Object, Void> TASK = TaskType.of(Drafts.TASK, Object.class);
  private static final LeaseRequest LEASE = LeaseRequest.of("invoice:42", Duration.ofHours(1));

  @TempDir private Path temp;

  /** All tokens that were issued before the restore. */
  private final List<Long> issued = new ArrayList<>();

  private static PostgresSettings settings(EmbeddedPostgres server) {
    return PostgresSettings.builder(server.jdbcUrl())
        .user(server.user())
        .password(server.password())
        .build();
  }

  private ClaimedJob issued(ClaimedJob job) {
    issued.add(job.token());
    return job;
  }

  private long issued(Result lease) {
    long token = ((Result.Granted) lease).token();
    issued.add(token);
    return token;
  }

  /** Restores the backup into a folder, and returns the first token of its epoch. */
  private long restore(String folder) {
    List<NewEpoch.Started> epochs = new ArrayList<>();
    EmbeddedRestore.restore(
        temp.resolve("backup"),
        temp.resolve(folder),
        server -> {
          RestoredDatabase database = RestoredDatabase.at(settings(server));
          epochs.addAll(database.startNewEpoch(database.schemas(), started -> {}));
        });
    assertThat(epochs).hasSize(1);
    return epochs.getFirst().firstToken();
  }

  /** What a client of the time before the restore still knows. */
  private record Left(
      Worker old,
      ClaimedJob running,
      ClaimedJob claimed,
      ClaimedJob later,
      NewJob lost,
      LeaseClaim lease) {}

  @Test
  void aRestoredDatabaseIssuesNoTokenAgainAndIgnoresTheOldTimeline() throws Exception {
    Left left;
    Set<JobId> acknowledged;
    try (EmbeddedPostgres server = EmbeddedPostgres.at(temp.resolve("data")).start();
        PostgresStore store = PostgresStore.connect(settings(server))) {
      Worker old = Worker.join(store, "old", Drafts.QUEUE, Drafts.TASK);
      NewJob first = Drafts.job();
      store.intake().enqueue(List.of(first, Drafts.job(), Drafts.job()));
      ClaimedJob running = issued(old.claimOne());
      ClaimedJob claimed = issued(old.prefetchOne());
      ClaimedJob later = issued(old.claimOne());
      issued(store.leases().acquire(LEASE, UUID.randomUUID(), "before"));
      acknowledged = backUpUnderLoad(server, store);
      left = goOn(store, old, running, claimed, later);
    }

    long first = restore("restored");
    assertThat(issued).allMatch(token -> token < first);
    Map<JobId, Long> tokens = new ConcurrentHashMap<>();
    try (EmbeddedPostgres server = EmbeddedPostgres.at(temp.resolve("restored")).start();
        PostgresStore store = PostgresStore.connect(settings(server))) {
      assertThat(store.queries().find(acknowledged)).hasSameSizeAs(acknowledged);
      assertOldTimelineIsIgnored(store, left);
      runAll(store, tokens);
      assertThat(tokens.keySet()).containsAll(acknowledged);
      assertThat(tokens.values()).allMatch(token -> token > first);
      assertThat(crashes(store, left.running)).isEqualTo(1);
      assertThat(crashes(store, left.later)).isEqualTo(1);
      assertThat(crashes(store, left.claimed)).isZero();
      // The client that created it repeats that, because it does not find it.
      assertThat(tokens).doesNotContainKey(left.lost.id());
      store.intake().enqueue(List.of(left.lost));
      runAll(store, tokens);
      assertThat(tokens.get(left.lost.id())).isGreaterThan(first);
    }
    assertThat(restore("again"))
        .as("what the first restore has issued")
        .isGreaterThan(tokens.values().stream().mapToLong(Long::longValue).max().orElseThrow());
  }

  /** Returns what was acknowledged before the backup started. */
  private Set<JobId> backUpUnderLoad(EmbeddedPostgres server, Store store) {
    Queue<JobId> enqueued = new ConcurrentLinkedQueue<>();
    AtomicBoolean enough = new AtomicBoolean();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(() -> {
          while (!enough.get()) {
            NewJob job = Drafts.job();
            store.intake().enqueue(List.of(job));
            enqueued.add(job.id());
          }
        });
    await().atMost(PATIENCE).until(() -> enqueued.size() > 50);
    Set<JobId> acknowledged = Set.copyOf(enqueued);
    EmbeddedBackup.take(server.dataFolder(), temp.resolve("backup"));
    assertThat(enqueued).hasSizeGreaterThan(acknowledged.size());
    enough.set(true);
    assertThat(load).succeedsWithin(PATIENCE);
    return acknowledged;
  }

  /** More work after the backup, of which the restored database knows nothing. */
  private Left goOn(
      Store store, Worker old, ClaimedJob running, ClaimedJob claimed, ClaimedJob later) {
    ClaimedJob latest = later;
    for (int i = 0; i < 5; i++) {
      assertThat(old.giveBack(latest.claim())).hasSize(1);
      latest = issued(old.claimOne()); // It is older than all others.
      assertThat(latest.id()).isEqualTo(later.id());
    }
    assertThat(old.start(claimed.claim())).hasSize(1);
    NewJob lost = Drafts.jobIn("lost");
    store.intake().enqueue(List.of(lost));
    issued(old.claimFrom("lost", 1, 0, null).getFirst());
    LeaseClaim lease = null;
    for (int i = 0; i < 20; i++) {
      LeaseRequest request = LeaseRequest.of("key-" + i, Duration.ofHours(1));
      lease =
          new LeaseClaim(
              request.key(), issued(store.leases().acquire(request, UUID.randomUUID(), "after")));
    }
    return new Left(old, running, claimed, latest, lost, lease);
  }

  private static void assertOldTimelineIsIgnored(Store store, Left left) {
    Map<JobState, Long> before = store.queries().count(JobFilter.all()).byState();
    assertThat(store.nodes().beat(left.old.incarnation(), 0)).isEmpty();
    Worker old = left.old.on(store);
    assertThat(old.claim(10)).isEmpty();
    for (ClaimedJob job : List.of(left.running, left.claimed, left.later)) {
      assertThat(old.succeed(job)).isEqualTo(Outcomes.Result.LOST);
      assertThat(old.giveBack(job.claim())).isEmpty();
      assertThat(old.start(job.claim())).isEmpty();
    }
    assertThat(store.leases().renew(List.of(Renewal.extend(left.lease, Duration.ofHours(1)))))
        .isEmpty();
    assertThat(store.queries().count(JobFilter.all()).byState()).isEqualTo(before);
  }

  /** A new node takes back what the old one held, and runs everything. */
  private static void runAll(Store store, Map<JobId, Long> tokens) {
    try (HoldfastNode node =
        HoldfastNode.on(store)
            .queue(Drafts.QUEUE, 20)
            .queue("lost", 1)
            .handle(
                TASK,
                (payload, context) -> {
                  tokens.put(context.jobId(), context.fencingToken());
                  return null;
                })
            .start()) {
      await()
          .atMost(PATIENCE)
          .until(() ->
              node.client()
                  .count(JobFilter.all())
                  .byState()
                  .keySet()
                  .equals(Set.of(JobState.SUCCEEDED)));
    }
  }

  private static long crashes(Store store, ClaimedJob claimed) {
    Job job = store.queries().find(Set.of(claimed.id())).get(claimed.id());
    return job.failures().stream()
        .filter(failure -> failure.code().equals("WORKER_CRASHED"))
        .count();
  }
}
