package dev.holdfast.engine.query;

import dev.holdfast.api.AwaitTimeoutException;
import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.JobQueries;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for jobs to end. It tells the cluster which job it waits for, and the node that ends that
 * job sends a signal; occasional polling covers lost signals.
 */
public final class Awaiter implements AutoCloseable {
  private static final Duration FIRST_LOOK = Duration.ofMillis(250);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final JobQueries lookup;
  private final PayloadCodec codec;
  private final SignalBus bus;
  private final Runnable subscription;
  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** One waiting thread. Each has its own semaphore, so that none can miss a signal for another. */
  private static final class Call {
    final JobId job;
    final boolean endsOnClose;
    final Semaphore bell = new Semaphore(0);

    Call(JobId job, boolean endsOnClose) {
      this.job = job;
      this.endsOnClose = endsOnClose;
    }
  }

  public Awaiter(JobQueries lookup, PayloadCodec codec, SignalBus bus) {
    this.lookup = lookup;
    this.codec = codec;
    this.bus = bus;
    this.subscription = bus.subscribe(this::hear);
  }

  private void hear(Signal signal) {
    switch (signal) {
      case Signal.JobEnded ended ->
          calls.stream()
              .filter(call -> call.job.equals(ended.job()))
              .forEach(call -> call.bell.release());
      case Signal.SignalsMissed missed -> calls.forEach(call -> call.bell.release());
      case Signal.NewWork other -> {}
      case Signal.Scheduled other -> {}
      case Signal.QueueChanged other -> {}
      case Signal.TaskChanged other -> {}
      case Signal.HeartbeatRequested other -> {}
      case Signal.ResultAwaited other -> {}
      case Signal.SchedulesChanged other -> {}
      case Signal.NodeJoined other -> {}
      case Signal.NodeDied other -> {}
    }
  }

  public <R> @Nullable R await(JobId id, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException {
    return await(new Call(id, false), resultType, atMost);
  }

  private <R> @Nullable R await(Call call, TypeRef<R> resultType, Duration atMost)
      throws InterruptedException {
    long began = System.nanoTime();
    long longest = TimeUnit.NANOSECONDS.convert(atMost); // Saturates for a longer duration.
    JobId id = call.job;
    calls.add(call);
    try {
      bus.publish(new Signal.ResultAwaited(id));
      Duration wait = FIRST_LOOK;
      while (true) {
        Job job = look(id);
        if (job.state().hasEnded()) {
          return result(job, resultType);
        }
        if (closed && call.endsOnClose) {
          // Not by an interrupt: that would close the socket of a connection in use.
          throw new CancellationException(
              "The client was closed before job %s ended.".formatted(id));
        }
        long waited = System.nanoTime() - began;
        if (waited >= longest) {
          throw new AwaitTimeoutException(id, job.state(), atMost);
        }
        boolean called =
            call.bell.tryAcquire(Math.min(longest - waited, wait.toNanos()), TimeUnit.NANOSECONDS);
        if (!called) {
          Duration most = bus.sleepAtMost(LONGEST_WAIT);
          wait = wait.multipliedBy(2).compareTo(most) < 0 ? wait.multipliedBy(2) : most;
        }
      }
    } finally {
      calls.remove(call);
    }
  }

  /** Waits in a virtual thread, until {@link #close} at the latest. */
  public <R> CompletionStage<@Nullable R> awaitAsync(
      JobId id, TypeRef<R> resultType, Duration atMost) {
    CompletableFuture<@Nullable R> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("holdfast-await-" + id)
        .start(() -> {
          try {
            result.complete(await(new Call(id, true), resultType, atMost));
          } catch (Throwable failure) {
            result.completeExceptionally(failure);
          }
        });
    return result.minimalCompletionStage();
  }

  private Job look(JobId id) {
    Job job = lookup.find(List.of(id)).get(id);
    if (job == null) {
      throw new IllegalArgumentException(
          "There is no job %s: check the id. A job that has ended is deleted after its retention."
              .formatted(id));
    }
    return job;
  }

  private <R> @Nullable R result(Job job, TypeRef<R> type) {
    if (job.state() != JobState.SUCCEEDED) {
      throw new JobFailedException(job);
    }
    String text = job.result();
    return text == null ? null : codec.decode(text, type);
  }

  @Override
  public void close() {
    closed = true;
    calls.forEach(call -> call.bell.release());
    subscription.run();
  }
}
