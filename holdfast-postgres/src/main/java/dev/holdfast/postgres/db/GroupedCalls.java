package dev.holdfast.postgres.db;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.Portions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Sends the calls of concurrent threads together: those that arrive while groups are written form
 * the next one. A call that is alone is written at once, and so is the next one beside it: a client
 * with two threads waits for no other call.
 *
 * <p>Each group is written by one of its callers, so that no call depends on another thread than
 * those that make such calls.
 *
 * @param <Q> what a caller wants to be written
 * @param <R> what it gets
 */
public final class GroupedCalls<Q, R> {
  private static final int MOST = 100;
  private static final int MOST_WRITERS = 2;

  private final ToLongFunction<Q> size;
  private final Function<List<Q>, List<R>> write;
  private final Deque<Waiting<Q, R>> waiting = new ArrayDeque<>();
  private int writers;

  /**
   * @param size how many bytes a call has, about: a group is bounded by size, too
   * @param write writes a group in one transaction, and returns a result for each call
   */
  public GroupedCalls(ToLongFunction<Q> size, Function<List<Q>, List<R>> write) {
    this.size = size;
    this.write = write;
  }

  /** What a caller that waits does next. */
  private sealed interface Turn<R> {
    /** It writes the next group. */
    record Write<R>() implements Turn<R> {}

    /** It returns the result of its call. */
    record Done<R>(R result) implements Turn<R> {}

    /** Its group was rejected, perhaps because of another call: it writes its call alone. */
    record Alone<R>() implements Turn<R> {}
  }

  private record Waiting<Q, R>(Q call, CompletableFuture<Turn<R>> turn) {}

  /**
   * Makes a call. A wait for others cannot be interrupted, as a statement cannot be: the call may
   * have been written.
   *
   * @throws StoreException if its group could not be written, or if the database rejected the call
   *     itself
   */
  public R call(Q call) {
    Waiting<Q, R> mine = new Waiting<>(call, new CompletableFuture<>());
    boolean writes;
    synchronized (this) {
      writes = writers < MOST_WRITERS;
      if (writes) {
        writers++;
      } else {
        waiting.add(mine);
      }
    }
    Turn<R> turn = writes ? new Turn.Write<>() : await(mine);
    if (turn instanceof Turn.Write<R>) {
      turn = writeNext(mine);
    }
    return turn instanceof Turn.Done<R>(R result) ? result : write.apply(List.of(call)).getFirst();
  }

  /** Writes a group that starts with the call of the caller, and returns how that continues. */
  private Turn<R> writeNext(Waiting<Q, R> mine) {
    List<Waiting<Q, R>> group = List.of(mine);
    Optional<List<R>> results = Optional.empty();
    RuntimeException failure = null;
    try {
      group = take(mine);
      results = Optional.of(write.apply(group.stream().map(Waiting::call).toList()));
    } catch (StoreException rejected) {
      if (rejected.outcome() != StoreException.Outcome.REFUSED || group.size() == 1) {
        failure = rejected;
      }
    } catch (RuntimeException broken) {
      failure = broken;
    } catch (Error broken) {
      failure = new IllegalStateException("A group of calls could not be written", broken);
    } finally {
      passOn();
    }
    for (int i = 1; i < group.size(); i++) {
      if (failure != null) {
        group.get(i).turn.completeExceptionally(failure);
      } else {
        group.get(i).turn.complete(turn(results, i));
      }
    }
    if (failure != null) {
      throw failure;
    }
    return turn(results, 0);
  }

  private static <R> Turn<R> turn(Optional<List<R>> results, int position) {
    return results.isPresent() ? new Turn.Done<>(results.get().get(position)) : new Turn.Alone<>();
  }

  /** Returns the call of a writer with those that wait, as far as they fit. */
  private synchronized List<Waiting<Q, R>> take(Waiting<Q, R> mine) {
    List<Waiting<Q, R>> first =
        Stream.concat(Stream.of(mine), waiting.stream()).limit(MOST).toList();
    int count = Portions.first(first, MOST, Portions.LARGEST, each -> size.applyAsLong(each.call));
    for (int i = 1; i < count; i++) {
      waiting.remove();
    }
    return first.subList(0, count);
  }

  /** Returns how many calls wait to be written. */
  public synchronized int waiting() {
    return waiting.size();
  }

  /** Lets the first caller that waits write the next group. */
  private void passOn() {
    Waiting<Q, R> next;
    synchronized (this) {
      next = waiting.poll();
      if (next == null) {
        writers--;
      }
    }
    if (next != null) {
      next.turn.complete(new Turn.Write<>());
    }
  }

  /** Waits for the turn of a caller, or throws what the writer of its group has thrown. */
  private static <Q, R> Turn<R> await(Waiting<Q, R> caller) {
    try {
      return caller.turn.join();
    } catch (CompletionException failure) {
      throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
    }
  }
}
