package dev.holdfast.engine.held;

import dev.holdfast.engine.role.Waker;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * One queue on one executor: the tasks that come that way, and the slots they use. A task that the
 * node limits has a lane of its own.
 *
 * <p>A claimer that waits for slots says so by {@link #hungerFor}; the release that makes enough of
 * them free wakes it, and every other release costs nothing.
 */
public final class Lane {
  private final String queue;
  private final TaskExecutor executor;
  private final List<String> tasks;
  private final Slots slots;
  private final String name;
  private volatile int hunger;
  private volatile Waker claimer = () -> {};
  private volatile Waker starter = () -> {};
  private volatile IntSupplier unstarted = () -> 0;

  public Lane(String queue, TaskExecutor executor, List<String> tasks, Slots slots) {
    this(
        queue,
        executor,
        tasks,
        slots,
        executor.name().equals(TaskExecutor.VIRTUAL) ? queue : queue + "/" + executor.name());
  }

  private Lane(String queue, TaskExecutor executor, List<String> tasks, Slots slots, String name) {
    this.queue = queue;
    this.executor = executor;
    this.tasks = List.copyOf(tasks);
    this.slots = slots;
    this.name = name;
  }

  /** A lane for one task alone, whose slots are bounded by more than those of others. */
  public static Lane ofTask(String queue, TaskExecutor executor, String task, Slots slots) {
    return new Lane(queue, executor, List.of(task), slots, queue + "/" + task);
  }

  public String queue() {
    return queue;
  }

  public TaskExecutor executor() {
    return executor;
  }

  public List<String> tasks() {
    return tasks;
  }

  public Slots slots() {
    return slots;
  }

  /** Who to wake when slots are free. */
  public void claimedBy(Waker waker) {
    this.claimer = waker;
  }

  /** Who to wake when a slot is free and jobs wait to be started, and how many do. */
  public void startedBy(Waker waker, IntSupplier waiting) {
    this.unstarted = waiting;
    this.starter = waker;
  }

  /** Wake the claimer when this many slots are free; 0 for never. */
  public void hungerFor(int slotsWanted) {
    this.hunger = slotsWanted;
  }

  /** Note that jobs no longer wait to be started: others may be claimed in their place. */
  public void prefetchedTaken() {
    if (hunger > 0) {
      claimer.wake();
    }
  }

  /** Give a slot back. */
  public void release() {
    slots.release(1);
    if (unstarted.getAsInt() > 0) {
      starter.wake();
    }
    int wanted = hunger;
    if (wanted > 0 && slots.free() >= wanted) {
      claimer.wake();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
