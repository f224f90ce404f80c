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

/** The base of the node tests: a store, short timeouts, and nodes that are closed after a test. */
public abstract class NodeTestBase {
  protected static final Duration SOON = Duration.ofSeconds(20);

  /** Beats often, so that tests need not wait for what a beat brings, and is never found dead. */
  protected static final LivenessSettings PATIENT =
      LivenessSettings.DEFAULT.with(settings -> settings.heartbeat(Duration.ofMillis(100)));

  /** How long nodes may be silent that take over from each other quickly. */
  protected static final Duration SILENCE = Duration.ofMillis(900);

  /** Quick enough that a test can wait for a term to lapse. */
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

  /** An empty store, the same for the whole of one test. */
  protected abstract Store store();

  /** A node that notices quickly. */
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

  /** A node that takes over quickly. */
  protected NodeBuilder quick() {
    return node().liveness(QUICK);
  }

  /** A node as one introduces itself that runs nowhere. */
  protected static NodeRegistration card(String id, Duration terms, Advice advice) {
    return new NodeRegistration(
        UuidCreator.getTimeOrderedEpoch(),
        id,
        null,
        "h",
        1,
        "v",
        Timeouts.of(terms),
        Set.of("default"),
        Set.of(ECHO.name()),
        10,
        null,
        Set.of(),
        Set.of(),
        advice);
  }

  /** A node that takes hold of jobs and is never heard of again. */
  protected List<ClaimedJob> dieHolding(int started, int claimed) {
    NodeRegistration card = card("the-dead", SILENCE, Advice.NONE);
    store().nodes().register(card);
    return store()
        .claims()
        .claim(
            new ClaimRequest(
                card.incarnation(),
                1,
                "default",
                List.of(ECHO.name()),
                started,
                claimed,
                null,
                new ClaimRequest.Suspects(100, false),
                Set.of()));
  }

  /** Start a node and close it after the test. */
  protected HoldfastNode start(NodeBuilder builder) {
    HoldfastNode node = builder.start();
    open.add(node);
    return node;
  }

  /** A client without a node. */
  protected Holdfast client() {
    Holdfast known = client;
    if (known == null) {
      known = HoldfastClient.on(store());
      client = known;
      open.add(known);
    }
    return known;
  }

  /** How often a node has beaten. */
  protected long beatOf(HoldfastNode node) {
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
