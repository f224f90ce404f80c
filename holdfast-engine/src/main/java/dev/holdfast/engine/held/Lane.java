package dev.holdfast.engine.held;

import dev.holdfast.engine.role.Waker;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * One queue on one executor: the tasks that take this path, and the slots they use. A task that the
 * node limits has its own lane.
 *
 * <p>A claimer that waits for slots registers how many it needs with {@link #hungerFor}. The
 * release that frees enough of them wakes it; every other release costs nothing.
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
  private volatile Predicate<HeldJob> keeps = ended -> false;

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

  /** Creates a lane for a single task, whose slots are also limited by the limit of that task. */
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

  /** Sets what to wake when slots are free. */
  public void claimedBy(Waker waker) {
    this.claimer = waker;
  }

  /** Sets what to wake when a slot is free and jobs wait to be started, and how many wait. */
  public void startedBy(Waker waker, IntSupplier waiting) {
    this.unstarted = waiting;
    this.starter = waker;
  }

  /** Sets which jobs keep their slot until their success is stored, see {@link #keepsSlotOf}. */
  public void slotsKeptFor(Predicate<HeldJob> continued) {
    this.keeps = continued;
  }

  /**
   * Returns whether the slot of a job whose attempt has succeeded stays reserved until that is
   * stored, so that what follows the job can start in it.
   */
  public boolean keepsSlotOf(HeldJob ended) {
    return keeps.test(ended);
  }

  /** Returns whether jobs wait for slots of this lane, as far as this node knows. */
  public boolean isSought() {
    return hunger > 0 || unstarted.getAsInt() > 0;
  }

  /** Wakes the claimer when this many slots are free; 0 for never. */
  public void hungerFor(int slotsWanted) {
    this.hunger = slotsWanted;
  }

  /** Returns whether its claimer waits for slots, because there is more to claim. */
  public boolean isHungry() {
    return hunger > 0;
  }

  /** Notes that fewer jobs wait to be started, so that others can be claimed. */
  public void prefetchedTaken() {
    if (hunger > 0) {
      claimer.wake();
    }
  }

  /** Releases a slot. */
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
