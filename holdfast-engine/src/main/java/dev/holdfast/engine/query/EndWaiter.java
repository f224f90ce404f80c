package dev.holdfast.engine.query;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a job or a run to end. It announces to the cluster what it waits for, and the node that
 * ends it sends a signal; occasional polling covers lost signals.
 */
public final class EndWaiter implements AutoCloseable {
  private static final Duration FIRST_LOOK = Duration.ofMillis(250);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final SignalBus bus;
  private final Runnable subscription;
  private final Set<Call> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** One waiting thread. Each has its own semaphore, so that none can miss a signal for another. */
  private static final class Call {
    final JobId id;
    final Semaphore bell = new Semaphore(0);

    Call(JobId id) {
      this.id = id;
    }
  }

  public EndWaiter(SignalBus bus) {
    this.bus = bus;
    this.subscription = bus.subscribe(this::hear);
  }

  private void hear(Signal signal) {
    if (signal instanceof Signal.JobEnded(JobId ended)) {
      calls.stream().filter(call -> call.id.equals(ended)).forEach(call -> call.bell.release());
    } else if (signal instanceof Signal.SignalsMissed) {
      calls.forEach(call -> call.bell.release());
    }
  }

  /**
   * Waits until a look finds that the end has come.
   *
   * @param id the id of the job or the run
   * @param look returns what has ended; empty while it has not
   * @param late creates the exception to throw when the time is over
   * @param endsOnClose whether {@link #close} ends the wait
   */
  public <T> T await(
      JobId id,
      Duration atMost,
      boolean endsOnClose,
      Supplier<Optional<T>> look,
      Supplier<? extends RuntimeException> late)
      throws InterruptedException {
    long started = System.nanoTime();
    long longest = TimeUnit.NANOSECONDS.convert(atMost); // Saturates for a longer duration.
    Call call = new Call(id);
    calls.add(call);
    try {
      bus.publish(new Signal.ResultAwaited(id));
      Duration wait = FIRST_LOOK;
      while (true) {
        Optional<T> ended = look.get();
        if (ended.isPresent()) {
          return ended.get();
        }
        if (closed && endsOnClose) {
          // Not by an interrupt: that would close the socket of a connection in use.
          throw new CancellationException("The client was closed before %s ended.".formatted(id));
        }
        long waited = System.nanoTime() - started;
        if (waited >= longest) {
          throw late.get();
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

  /** Waits in a virtual thread, for waits that end on close. */
  public static <R> CompletionStage<@Nullable R> async(JobId id, Callable<@Nullable R> wait) {
    CompletableFuture<@Nullable R> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("holdfast-await-" + id)
        .start(() -> {
          try {
            result.complete(wait.call());
          } catch (Throwable failure) {
            result.completeExceptionally(failure);
          }
        });
    return result.minimalCompletionStage();
  }

  @Override
  public void close() {
    closed = true;
    calls.forEach(call -> call.bell.release());
    subscription.run();
  }
}
