package dev.holdfast.tck.node;

import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.store.Store;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * The base class of the node tests: a store, short timeouts, and nodes that are closed after each
 * test.
 */
public abstract class NodeTestBase {
  protected static final Duration SOON = Duration.ofSeconds(20);

  /**
   * Frequent heartbeats, so that tests need not wait for their results, and a timeout that is never
   * reached.
   */
  protected static final LivenessSettings PATIENT =
      LivenessSettings.DEFAULT.with(settings -> settings.heartbeat(Duration.ofMillis(100)));

  /** The timeout of nodes that take over from each other quickly. */
  protected static final Duration SILENCE = Duration.ofMillis(900);

  /** Short enough that a test can wait for the timeout. */
  protected static final LivenessSettings QUICK =
      LivenessSettings.DEFAULT.with(settings ->
          settings
              .heartbeat(Duration.ofMillis(100))
              .timeout(SILENCE)
              .sweep(Duration.ofMillis(100)));

  /** A payload. */
  public record Note(String text) {}

  protected static final TaskType<Note, String> ECHO =
      TaskType.of("test::echo", Note.class, String.class)
          .with(options -> options.retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(3)));

  private final List<AutoCloseable> open = new ArrayList<>();
  private @Nullable Holdfast client;
  protected final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  /** Returns the store of the test, which is empty at first. */
  protected abstract Store store();

  /** Returns a node with frequent heartbeats and polls. */
  protected NodeBuilder node() {
    return node(store());
  }

  protected NodeBuilder node(Store store) {
    return HoldfastNode.on(store)
        .meters(meters)
        .poll(Duration.ofMillis(20), Duration.ofMillis(200))
        .liveness(PATIENT)
        .shutdownGrace(Duration.ofMillis(100));
  }

  /** Returns a node that takes over quickly. */
  protected NodeBuilder quick() {
    return node().liveness(QUICK);
  }

  /** Returns the registration of a node that does not run. */
  protected static NodeRegistration registration(String id, Duration running, Advice advice) {
    return new NodeRegistration(
        UuidCreator.getTimeOrderedEpoch(),
        id,
        null,
        "h",
        1,
        "v",
        Timeouts.of(running),
        Set.of("default"),
        Set.of(ECHO.name()),
        10,
        null,
        Set.of(),
        Set.of(),
        advice);
  }

  /** Claims jobs with a node that never sends a heartbeat. */
  protected List<ClaimedJob> dieWithClaimedJobs(int started, int claimed) {
    NodeRegistration registration = registration("the-dead", SILENCE, Advice.NONE);
    store().nodes().register(registration);
    return store()
        .claims()
        .claim(
            new ClaimRequest(
                registration.incarnation(),
                1,
                "default",
                List.of(ECHO.name()),
                started,
                claimed,
                null,
                new ClaimRequest.Suspects(100, false),
                Set.of()));
  }

  /** Starts a node that is closed after the test. */
  protected HoldfastNode start(NodeBuilder builder) {
    HoldfastNode node = builder.start();
    open.add(node);
    return node;
  }

  /** Returns a client without a node. */
  protected Holdfast client() {
    Holdfast known = client;
    if (known == null) {
      known = HoldfastClient.on(store());
      client = known;
      open.add(known);
    }
    return known;
  }

  /** Returns the number of heartbeats that a node has sent. */
  protected long heartbeatsOf(HoldfastNode node) {
    return store().nodes().list().stream()
        .filter(status -> status.registration().incarnation().equals(node.incarnation()))
        .findAny()
        .orElseThrow()
        .beat();
  }

  protected Job job(JobId id) {
    return client().find(id).orElseThrow(() -> new AssertionError("Job " + id + " is lost"));
  }

  protected Job awaitState(JobId id, JobState state) {
    await().atMost(SOON).until(() -> job(id).state() == state);
    return job(id);
  }

  @AfterEach
  void closeAll() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }
}
