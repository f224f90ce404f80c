package dev.holdfast.postgres.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.Portions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Starts the runs of concurrent callers together: those that arrive while a group is written form
 * the next one. A start that is alone is written at once.
 *
 * <p>Each group is written by one of its callers, so that no start depends on another thread than
 * those that start runs.
 */
final class GroupedStarts {
  private static final int MOST = 100;

  private final Function<List<NewRun>, Set<RunId>> write;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private boolean writing;

  /**
   * @param write inserts runs in one transaction, and returns those that it inserted
   */
  GroupedStarts(Function<List<NewRun>, Set<RunId>> write) {
    this.write = write;
  }

  /** What a caller that waits does next. */
  private enum Turn {
    /** It writes the next group. */
    WRITE,
    INSERTED,
    NOT_INSERTED
  }

  private record Waiting(NewRun run, CompletableFuture<Turn> turn) {}

  /**
   * Starts a run.
   *
   * @return whether it was inserted. If not, its id is taken, its definition is retired, or the
   *     database rejected a run of its group, which may be another one
   */
  boolean start(NewRun run) {
    Waiting mine = new Waiting(run, new CompletableFuture<>());
    boolean writes;
    synchronized (this) {
      waiting.add(mine);
      writes = !writing;
      writing = true;
    }
    // A wait cannot be interrupted, as a statement cannot be: the run may have been started.
    Turn turn = writes ? Turn.WRITE : await(mine);
    return (turn == Turn.WRITE ? writeNext(mine) : turn) == Turn.INSERTED;
  }

  /** Writes a group that starts with the run of the caller. */
  private Turn writeNext(Waiting mine) {
    List<Waiting> group = List.of(mine);
    Set<RunId> inserted = Set.of();
    RuntimeException failure = null;
    try {
      group = take();
      inserted = write.apply(group.stream().map(Waiting::run).toList());
    } catch (StoreException refused) {
      // Rejected because of one run: each caller tries again alone.
      if (refused.outcome() != StoreException.Outcome.REFUSED) {
        failure = refused;
      }
    } catch (RuntimeException broken) {
      failure = broken;
    } catch (Error broken) {
      failure = new IllegalStateException("A group of runs could not be started", broken);
    } finally {
      passOn();
    }
    for (Waiting other : group.subList(1, group.size())) {
      if (failure != null) {
        other.turn.completeExceptionally(failure);
      } else {
        other.turn.complete(turn(inserted, other));
      }
    }
    if (failure != null) {
      throw failure;
    }
    return turn(inserted, mine);
  }

  private static Turn turn(Set<RunId> inserted, Waiting caller) {
    return inserted.contains(caller.run.id()) ? Turn.INSERTED : Turn.NOT_INSERTED;
  }

  private synchronized List<Waiting> take() {
    List<Waiting> first = waiting.stream().limit(MOST).toList();
    int count = Portions.first(first, MOST, Portions.LARGEST, each -> size(each.run));
    List<Waiting> group = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      group.add(waiting.remove());
    }
    return group;
  }

  private static long size(NewRun run) {
    String input = run.input();
    return (input == null ? 0 : input.length())
        + SimpleStart.jobs(run).stream().mapToLong(job -> job.size()).sum();
  }

  /** Returns how many starts wait to be written. */
  synchronized int waiting() {
    return waiting.size();
  }

  /** Lets the first caller that waits write the next group. */
  private void passOn() {
    Waiting next;
    synchronized (this) {
      next = waiting.peek();
      writing = next != null;
    }
    if (next != null) {
      next.turn.complete(Turn.WRITE);
    }
  }

  /** Waits for the turn of a caller, or throws what the writer of its group has thrown. */
  private static Turn await(Waiting caller) {
    try {
      return caller.turn.join();
    } catch (CompletionException failure) {
      throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
    }
  }
}
