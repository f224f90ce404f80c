package dev.holdfast.api.run;

import dev.holdfast.api.type.TypeRef;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Steps of a handler that are not repeated. What a step returned is stored in the journal of the
 * job; if the job runs again, after a failure, a crash or a sleep, the handler starts at its
 * beginning, and steps that are in the journal return what they returned before.
 *
 * <pre>{@code
 * DurableSteps steps = context.steps();
 * Receipt receipt = steps.run("charge", Receipt.class, () -> shop.charge(invoice));
 * steps.sleep("cooling-off", Duration.ofDays(14));
 * Optional<Receipt> signed =
 *     steps.awaitSignal("signed", Receipt.class, Duration.ofDays(7));
 * }</pre>
 *
 * <p>A step is known by its name and its occurrence: the second step of the same name in one
 * attempt is another step than the first. So a handler must execute the same steps with the same
 * names in each attempt, as far as the journal goes; code between them must not depend on anything
 * that changes, such as the time. {@link #patched} is for handlers whose code changes while jobs
 * are running. A journal that does not match the code fails the attempt with {@code
 * JOURNAL_MISMATCH}. The job is left to other nodes, whose code may match; if there is none, it is
 * dead-lettered, or, if it executes a step of a run, the run is stranded until there is one.
 *
 * <p>A body runs at least once: if the node dies after the body has ended and before its result is
 * stored, it runs again. {@link #transaction} excludes that for changes to the same database.
 *
 * <p>Threads of one handler can use steps at the same time if the steps have different names.
 * Otherwise a {@link ParallelStepException} is thrown.
 *
 * <p>{@link #sleep} and {@link #awaitSignal} end the attempt by an {@link Error}, and the handler
 * is called again later. Do not catch it. Code in {@code finally} is executed.
 *
 * <p>Every method throws a {@link java.util.concurrent.CancellationException} if the attempt has
 * been told to stop, like {@link TaskContext#heartbeat}, and a {@link
 * dev.holdfast.api.StoreException} if the journal cannot be read or written.
 */
public interface DurableSteps {

  /** What a step does that has no result. */
  @FunctionalInterface
  interface Action {
    /**
     * Executes the step.
     *
     * @throws Exception to fail the step, and with it the attempt
     */
    void run() throws Exception;
  }

  /**
   * What a step does inside a database transaction.
   *
   * @param <T> the type of the result
   */
  @FunctionalInterface
  interface TransactionBody<T> {
    /**
     * Executes the step.
     *
     * @param transaction a connection with an open transaction, which must not be committed, rolled
     *     back or closed
     * @throws Exception to roll the transaction back and fail the step
     */
    @Nullable T run(Connection transaction) throws Exception;
  }

  /**
   * Executes a step, or returns what it returned before.
   *
   * @param name 1 to 256 characters
   * @param type the type of the result
   * @return the result; null if the body returned null
   * @throws Exception what the body throws; nothing is stored then, and a retry executes it again
   */
  <T> @Nullable T run(String name, TypeRef<T> type, Callable<? extends @Nullable T> body)
      throws Exception;

  /**
   * Executes a step whose result type is not generic, or returns what it returned before.
   *
   * @see #run(String, TypeRef, Callable)
   */
  default <T> @Nullable T run(String name, Class<T> type, Callable<? extends @Nullable T> body)
      throws Exception {
    return run(name, TypeRef.of(type), body);
  }

  /**
   * Executes a step without a result, unless it was executed before.
   *
   * @throws Exception what the body throws; nothing is stored then, and a retry executes it again
   */
  default void run(String name, Action body) throws Exception {
    run(
        name,
        TypeRef.of(Object.class),
        () -> {
          body.run();
          return null;
        });
  }

  /**
   * Waits, without a thread and without a slot: the job becomes WAITING, and any node continues it
   * when the time has passed. It does not use an attempt. {@code requeue} continues the job at
   * once.
   *
   * @param name 1 to 256 characters
   */
  void sleep(String name, Duration time);

  /**
   * Waits for a signal to this job, without a thread and without a slot. Signals are kept until
   * they are awaited: one that was sent before is returned at once. Each await returns another
   * signal, the oldest first.
   *
   * @param signal the name of the signal, which is also the name of the step
   * @param type the type of the payload
   * @param timeout how long to wait; zero to take only a signal that has arrived
   * @return the payload; empty if the timeout has passed, or if the signal has no payload
   * @see dev.holdfast.api.Holdfast#signal
   */
  <T> Optional<T> awaitSignal(String signal, TypeRef<T> type, Duration timeout);

  /**
   * Waits for a signal whose payload type is not generic.
   *
   * @see #awaitSignal(String, TypeRef, Duration)
   */
  default <T> Optional<T> awaitSignal(String signal, Class<T> type, Duration timeout) {
    return awaitSignal(signal, TypeRef.of(type), timeout);
  }

  /**
   * Waits for a signal and ignores its payload.
   *
   * @return whether the signal arrived before the timeout had passed
   * @see #awaitSignal(String, TypeRef, Duration)
   */
  boolean awaitSignal(String signal, Duration timeout);

  /**
   * Executes a step in a transaction of the database that contains the jobs, or returns what it
   * returned before. The changes that the body makes and the journal entry are committed together,
   * so the body takes effect exactly once.
   *
   * <p>The connection belongs to the pool of the node. Cancelling the job waits until the
   * transaction ends, so keep it short.
   *
   * @param name 1 to 256 characters
   * @param type the type of the result
   * @throws UnsupportedOperationException if the store of the node is not a database
   * @throws Exception what the body throws; the transaction is rolled back then
   */
  <T> @Nullable T transaction(String name, TypeRef<T> type, TransactionBody<? extends T> body)
      throws Exception;

  /**
   * Executes a step whose result type is not generic in a transaction.
   *
   * @see #transaction(String, TypeRef, TransactionBody)
   */
  default <T> @Nullable T transaction(String name, Class<T> type, TransactionBody<? extends T> body)
      throws Exception {
    return transaction(name, TypeRef.of(type), body);
  }

  /**
   * Returns whether this job executes changed code. Use it to change the steps of a handler while
   * jobs are running:
   *
   * <pre>{@code
   * if (context.steps().patched("thank")) {
   *   context.steps().run("thank", () -> mailer.send("ada@example.com"));
   * }
   * }</pre>
   *
   * <p>It returns false for a job whose journal has entries that this attempt has not reached yet,
   * because that job passed this place with the old code. Otherwise it returns true and stores
   * that, so that later attempts return the same. Steps of parallel threads must have ended before.
   *
   * @param id 1 to 256 characters
   */
  boolean patched(String id);
}
