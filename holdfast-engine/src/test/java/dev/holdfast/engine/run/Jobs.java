package dev.holdfast.engine.run;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.DrainNotice;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.SlowStart;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Claimed jobs and collaborators for tests of the engine, with defaults for everything that a test
 * does not set.
 */
public final class Jobs {
  private Jobs() {}

  /** Returns an empty set of held jobs. */
  public static HeldJobs none() {
    return new HeldJobs(new SlowStart(Duration.ofMinutes(1)), Ticker.system());
  }

  /** Returns lost slots without listeners. */
  public static LostSlots lostSlots(int mostReplaced) {
    Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
    return new LostSlots(mostReplaced, meters, telemetry(meters, () -> new Moment(0)).events());
  }

  /** An environment with this clock that drives no roles. */
  public static Environment environment(Ticker ticker, RandomGenerator random) {
    return new Environment(stub(Driver.class), ticker, UUID::randomUUID, random);
  }

  /** Reports that are not read. */
  public static Telemetry telemetry(Meters meters, Ticker ticker) {
    return new Telemetry(
        meters,
        RoleSpans.NONE,
        new LifecycleEvents(new LogContext("node", null), List.of(), 1, meters, ticker));
  }

  /** Returns a rule for a cluster in which no other node can read a job. */
  public static Unreadable unreadable() {
    return new Unreadable("node", stub(JobQueries.class), stub(NodeStore.class));
  }

  /** Returns a stub whose methods return empty collections. */
  private static <T> T stub(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                method.getReturnType() == Map.class ? Map.of() : List.of()));
  }

  /** Returns a started job whose id and token are this number. */
  public static ClaimedJob of(String task, int number) {
    return of(task, number, null);
  }

  /** Returns a started job with a payload. */
  public static ClaimedJob of(String task, int number, @Nullable String payload) {
    return of(task, number, payload, Suspicion.NONE);
  }

  /** Returns a crash suspect. */
  public static ClaimedJob suspect(int number, Suspicion suspicion) {
    return of("task", number, null, suspicion);
  }

  /** Returns a claim of job 1 under this token. */
  public static ClaimedJob withToken(long token) {
    return of("task", 1, token, null, Suspicion.NONE);
  }

  private static ClaimedJob of(
      String task, int number, @Nullable String payload, Suspicion suspicion) {
    return of(task, number, number, payload, suspicion);
  }

  private static ClaimedJob of(
      String task, int number, long token, @Nullable String payload, Suspicion suspicion) {
    return new ClaimedJob(
        new JobId(new UUID(1, number)),
        token,
        task,
        "default",
        true,
        1,
        4,
        payload,
        Set.of(),
        null,
        null,
        null,
        Instant.EPOCH,
        Instant.EPOCH,
        Instant.EPOCH,
        suspicion == Suspicion.NONE ? 0 : 2,
        suspicion,
        null);
  }

  /** Returns an encoder of outputs of up to a megabyte. */
  public static OutputEncoder outputs() {
    return new OutputEncoder(
        new JsonCodec(),
        1 << 20,
        StepRef::toString,
        new Meters(new SimpleMeterRegistry(), null, List.of()));
  }

  /** Returns context services that store nothing. */
  public static ContextServices services(Ticker ticker, HeldJobs heldJobs) {
    Outcomes outcomes =
        (Outcomes)
            Proxy.newProxyInstance(
                Outcomes.class.getClassLoader(),
                new Class<?>[] {Outcomes.class},
                (proxy, method, arguments) -> Set.of());
    Journals journals =
        (Journals)
            Proxy.newProxyInstance(
                Journals.class.getClassLoader(),
                new Class<?>[] {Journals.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("load")) {
                    return List.of();
                  }
                  throw new UnsupportedOperationException("No journals");
                });
    CurrentIncarnation identity =
        new CurrentIncarnation(
            "node",
            new Tenure(new UUID(1, 1), ticker, Duration.ofHours(1), () -> false, ticker.now()));
    return new ContextServices(
        "node",
        ticker,
        parent -> {
          throw new UnsupportedOperationException("No client");
        },
        new DrainNotice(),
        new NotesWriter(outcomes, identity, heldJobs, () -> {}),
        new JournalServices(journals, new JsonCodec(), outputs()),
        0,
        NodeSecrets.none());
  }
}
