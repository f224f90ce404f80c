package dev.holdfast.postgres.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.Portions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private final Function<List<SimpleStart.Start>, SimpleStart.Inserted> write;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private boolean writing;

  /**
   * @param write inserts runs in one transaction
   */
  GroupedStarts(Function<List<SimpleStart.Start>, SimpleStart.Inserted> write) {
    this.write = write;
  }

  /** What a caller that waits does next. */
  private sealed interface Turn {
    /** It writes the next group. */
    record Write() implements Turn {}

    /** Its run was written, or not: see {@link #start}. */
    record Done(Optional<List<ClaimedJob>> started) implements Turn {}
  }

  private record Waiting(SimpleStart.Start start, CompletableFuture<Turn> turn) {}

  /**
   * Starts a run.
   *
   * @return its jobs that were started at once, if it was inserted. If not, its id is taken, its
   *     definition is retired, or the database rejected a run of its group, which may be another
   *     one
   */
  Optional<List<ClaimedJob>> start(SimpleStart.Start run) {
    Waiting mine = new Waiting(run, new CompletableFuture<>());
    boolean writes;
    synchronized (this) {
      waiting.add(mine);
      writes = !writing;
      writing = true;
    }
    // A wait cannot be interrupted, as a statement cannot be: the run may have been started.
    Turn turn = writes ? new Turn.Write() : await(mine);
    return switch (turn) {
      case Turn.Write() -> writeNext(mine);
      case Turn.Done(Optional<List<ClaimedJob>> started) -> started;
    };
  }

  /** Writes a group that starts with the run of the caller. */
  private Optional<List<ClaimedJob>> writeNext(Waiting mine) {
    List<Waiting> group = List.of(mine);
    SimpleStart.Inserted inserted = new SimpleStart.Inserted(Set.of(), Map.of());
    RuntimeException failure = null;
    try {
      group = take();
      inserted = write.apply(group.stream().map(Waiting::start).toList());
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
        other.turn.complete(new Turn.Done(started(inserted, other)));
      }
    }
    if (failure != null) {
      throw failure;
    }
    return started(inserted, mine);
  }

  private static Optional<List<ClaimedJob>> started(
      SimpleStart.Inserted inserted, Waiting caller) {
    RunId run = caller.start.run().id();
    return inserted.runs().contains(run)
        ? Optional.of(inserted.started().getOrDefault(run, List.of()))
        : Optional.empty();
  }

  private synchronized List<Waiting> take() {
    List<Waiting> first = waiting.stream().limit(MOST).toList();
    int count = Portions.first(first, MOST, Portions.LARGEST, each -> size(each.start.run()));
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
      next.turn.complete(new Turn.Write());
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
