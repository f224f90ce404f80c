package dev.holdfast.testkit.task;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.run.RetryDecision;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler on the calling thread, with a fake context and without a store or a node.
 *
 * <pre>{@code
 * TaskOutcome<Receipt> outcome =
 *     TaskTester.of(CHARGE, new ChargeHandler(bank)).attempt(2).run(new Charge("ada", 4_200));
 * Receipt receipt = outcome.result();
 * }</pre>
 *
 * <p>Payload and result pass through the codec, as they do on their way through the database, so
 * that a type that cannot be encoded or decoded is found here. Whether and when a failed attempt
 * would be retried is decided by the retry policy of the task type, with the same code as on a
 * node.
 *
 * @param <P> the type of the payload
 * @param <R> the type of the result
 */
public final class TaskTester<P, R> {
  static final String NODE = "test-node";
  private static final double NO_JITTER = 0.5;

  final TaskType<P, R> type;
  private final TaskHandler<? super P, ? extends R> handler;
  private PayloadCodec codec = new JsonCodec();
  final JobId jobId = new JobId(UUID.randomUUID());
  final Set<String> tags;
  final Map<String, String> secrets = new HashMap<>();
  String queue;
  int attempt = 1;
  long fencingToken = 1;
  Instant createdAt = Instant.now();
  int stopAtCheck = FakeContext.NEVER;
  @Nullable String uniqueKey;
  boolean draining;
  private @Nullable Holdfast client;
  private final List<GivenSignal> signals = new ArrayList<>();
  private final List<Duration> sleeps = new ArrayList<>();

  /** A signal for the handler. */
  record GivenSignal(String name, Optional<String> payload) {}

  private TaskTester(TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    this.type = type;
    this.handler = handler;
    this.queue = type.defaults().queue();
    this.tags = new TreeSet<>(type.defaults().tags());
  }

  /** Returns a tester of the first attempt of a job with the default options of its task type. */
  public static <P, R> TaskTester<P, R> of(
      TaskType<P, R> type, TaskHandler<? super P, ? extends R> handler) {
    return new TaskTester<>(type, handler);
  }

  /** Returns a tester of a task without a result. */
  public static <P> TaskTester<P, Void> of(
      TaskType<P, Void> type, VoidTaskHandler<? super P> handler) {
    return new TaskTester<>(type, handler);
  }

  /** Sets the number of the attempt, from 1. Defaults to 1. */
  public TaskTester<P, R> attempt(int number) {
    if (number < 1) {
      throw new IllegalArgumentException(
          "Attempt %d is not valid: attempts are counted from 1.".formatted(number));
    }
    this.attempt = number;
    return this;
  }

  /** Gives the handler a secret. */
  public TaskTester<P, R> secret(String name, String value) {
    secrets.put(name, value);
    return this;
  }

  /** Sets the queue. Defaults to the queue of the task type. */
  public TaskTester<P, R> queue(String name) {
    this.queue = Names.queue(name);
    return this;
  }

  /** Adds a tag. Defaults to the tags of the task type. */
  public TaskTester<P, R> tag(String word) {
    tags.add(Names.text("Tag", word));
    return this;
  }

  /** Sets the fencing token. Defaults to 1. */
  public TaskTester<P, R> fencingToken(long token) {
    this.fencingToken = token;
    return this;
  }

  /** Sets when the job was enqueued. Defaults to when the tester was created. */
  public TaskTester<P, R> createdAt(Instant time) {
    this.createdAt = time;
    return this;
  }

  /** Sets the unique key. Defaults to none. */
  public TaskTester<P, R> uniqueKey(String key) {
    this.uniqueKey = key;
    return this;
  }

  /**
   * Sets the client that the handler enqueues jobs with. Defaults to a client on a separate store
   * in memory, see {@link #client()}.
   */
  public TaskTester<P, R> client(Holdfast own) {
    this.client = own;
    return this;
  }

  /** Returns the client that the handler enqueues jobs with, to see which jobs it enqueued. */
  public Holdfast client() {
    Holdfast known = client;
    if (known == null) {
      known =
          HoldfastClient.on(
              new InMemoryStore(InstantSource.system()), codec, ClientSettings.DEFAULT);
      client = known;
    }
    return known;
  }

  /**
   * Lets the node drain from the start: {@code isDraining} returns true, and callbacks of {@code
   * onDrain} are called at once, on the thread of the handler. Defaults to a node that is not
   * draining.
   */
  public TaskTester<P, R> draining() {
    this.draining = true;
    return this;
  }

  /** Sets the codec of payloads and results. Defaults to JSON. */
  public TaskTester<P, R> codec(PayloadCodec own) {
    this.codec = own;
    return this;
  }

  /**
   * Sends a signal to the job before its handler is called. Signals are received in the order of
   * these calls, each once. A handler that awaits a signal that was not sent sees a timeout.
   */
  public TaskTester<P, R> signal(String name, @Nullable Object payload) {
    Optional<String> text = Optional.ofNullable(payload).map(codec::encode);
    synchronized (signals) {
      signals.add(new GivenSignal(Names.signal(name), text));
    }
    return this;
  }

  Optional<GivenSignal> takeSignal(String name) {
    synchronized (signals) {
      Optional<GivenSignal> first =
          signals.stream().filter(signal -> signal.name().equals(name)).findFirst();
      first.ifPresent(signals::remove);
      return first;
    }
  }

  /** Returns how long the handler has slept in durable steps, which were over at once. */
  public List<Duration> sleeps() {
    synchronized (sleeps) {
      return List.copyOf(sleeps);
    }
  }

  void slept(Duration time) {
    synchronized (sleeps) {
      sleeps.add(time);
    }
  }

  PayloadCodec codec() {
    return codec;
  }

  /**
   * Tells the attempt to stop before it starts, as if the job was cancelled, timed out, or its node
   * was stopped: {@code isStopping} returns true, {@code heartbeat} throws, and the thread is
   * interrupted. Defaults to never.
   */
  public TaskTester<P, R> stopping() {
    this.stopAtCheck = 0;
    return this;
  }

  /**
   * Tells the attempt to stop when its handler checks for the n-th time whether it should, by
   * {@code isStopping} or {@code heartbeat}. Defaults to never.
   *
   * @param check the number of the check, from 1
   */
  public TaskTester<P, R> stoppingAtCheck(int check) {
    if (check < 1) {
      throw new IllegalArgumentException(
          "Check %d is not valid: checks are counted from 1; use stopping() to stop before the first."
              .formatted(check));
    }
    this.stopAtCheck = check;
    return this;
  }

  /**
   * Calls the handler.
   *
   * @return how the attempt ended, whatever the handler threw
   * @throws IllegalArgumentException if the payload is null or too large to be enqueued
   * @throws dev.holdfast.api.codec.CodecException if the payload cannot be encoded, or if the
   *     payload or the result cannot be decoded again
   */
  public TaskOutcome<R> run(P payload) {
    P received = passed(payload);
    boolean interrupted = Thread.interrupted();
    FakeContext context = new FakeContext(this);
    R value = null;
    Throwable thrown = null;
    try {
      value = handler.handle(received, context);
    } catch (Throwable failure) { // As on a node, where it costs the job an attempt.
      thrown = failure;
    } finally {
      Thread.interrupted(); // A node clears the interrupt of an attempt, too.
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (context.wasStopped()) {
      return new TaskOutcome.Stopped<>(thrown);
    }
    return thrown == null ? success(value) : failure(RetryDecision.codeOf(thrown), thrown);
  }

  /** Returns the payload as the handler receives it. */
  private P passed(P payload) {
    String owner = "task '%s'".formatted(type.name());
    String text = Encoding.payload(codec, payload, owner, ClientSettings.DEFAULT.payloadLimit());
    P decoded = codec.decode(text, type.payload());
    if (decoded == null) {
      throw new IllegalArgumentException(
          "The payload of %s is encoded as %s, which is decoded as null: use a value."
              .formatted(owner, text));
    }
    return decoded;
  }

  private TaskOutcome<R> success(@Nullable R value) {
    if (value == null) {
      return new TaskOutcome.Succeeded<>(null);
    }
    String text;
    try {
      text = Encoding.storable(codec.encode(value));
    } catch (RuntimeException | LinkageError unwritable) { // A custom codec may throw anything.
      return failure(FailureCode.BAD_RESULT, unwritable);
    }
    return new TaskOutcome.Succeeded<>(codec.decode(text, type.result()));
  }

  private TaskOutcome<R> failure(String code, Throwable thrown) {
    if (thrown instanceof RetryLater later) {
      return new TaskOutcome.Postponed<>(later, later.delay());
    }
    Finish next =
        RetryDecision.onFailure(
            new ClaimId(jobId, fencingToken),
            new Finish.Failure(attempt, code, null, String.valueOf(thrown), null, NODE),
            thrown,
            policy(),
            NO_JITTER);
    return next instanceof Finish.RetryIn retry
        ? new TaskOutcome.Retried<>(thrown, code, retry.delay())
        : new TaskOutcome.DeadLettered<>(thrown, code);
  }

  RetryPolicy policy() {
    RetryPolicy own = type.defaults().retry();
    return own == null ? RetryPolicy.DEFAULT : own;
  }
}
