package dev.holdfast.engine.held;

import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * One queue on one executor: the tasks that take this path, and the slots they use. A task that the
 * node limits has its own lane.
 *
 * <p>A claimer that waits for slots registers how many it needs with {@link #hungerFor}. The
 * release that frees enough of them wakes it; every other release costs nothing.
 *
 * <p>A slot that is released passes to the next job of the {@link SlotQueue}, if one waits there.
 *
 * <p>The slot of a step that has succeeded is kept for the next step of its run until the success
 * is stored, which takes longer than short steps run. So while attempts end quickly, it is lent to
 * other jobs, and the next step takes a free slot or waits in the queue for one.
 */
public final class Lane {
  /**
   * How many loans there may be for each slot. With one, chains of short steps were 10 % slower:
   * fewer successes share a statement.
   */
  private static final int LOANS = 2;

  private final String queue;
  private final TaskExecutor executor;
  private final List<String> tasks;
  private final Slots slots;
  private final String name;
  private final SlotQueue queued = new SlotQueue();
  private final LongAdder ended = new LongAdder();
  private final AtomicInteger lent = new AtomicInteger();
  private final LongAdder kept = new LongAdder();
  private volatile Consumer<HeldJob> run = heldJob -> {};
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile boolean lends;
  private volatile int refill = -1;
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

  /**
   * Sets what to wake when slots are free, and what runs the jobs that wait for a slot; the slot is
   * reserved for the job.
   */
  public void claimedBy(Waker waker, Consumer<HeldJob> runner) {
    this.claimer = waker;
    this.run = runner;
  }

  /** Returns the jobs that wait for a slot. */
  public SlotQueue queued() {
    return queued;
  }

  /** Returns how many attempts have ended since the node started. */
  public long ended() {
    return ended.sum();
  }

  /**
   * Runs a job in the next slot that is free. If it has to wait, a claimer that sleeps is woken,
   * once: it hands back jobs that wait too long, and starts them in slots that other lanes release.
   */
  public void runSoon(HeldJob heldJob, Moment now) {
    queued.add(heldJob, now);
    startQueued();
    if (queued.size() > 0 && !watched.get() && watched.compareAndSet(false, true)) {
      claimer.wake();
    }
  }

  /** Sets whether the claimer looks at the jobs that wait in time, without being woken. */
  public void watched(boolean awake) {
    watched.set(awake);
  }

  /** Wakes the claimer when no more than this many jobs wait for a slot; -1 for never. */
  public void refillAt(int jobs) {
    this.refill = jobs;
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
    boolean keep = keeps.test(ended);
    if (keep) {
      kept.increment();
      this.ended.increment();
    }
    return keep;
  }

  /** Sets whether attempts end so quickly that kept slots are worth lending. */
  public void lends(boolean quick) {
    this.lends = quick;
  }

  /**
   * Lends a slot that is kept. Never more than {@link #LOANS} of each slot, so that the runs of a
   * backlog are not all in progress at the same time.
   *
   * @return false if it stays kept
   */
  boolean lend() {
    if (!lends) {
      return false;
    }
    if (lent.incrementAndGet() > LOANS * slots.capacity()) {
      lent.decrementAndGet();
      return false;
    }
    free();
    return true;
  }

  /** Notes that a kept slot that was lent is not needed any more, or was replaced by another. */
  void endLoan() {
    lent.decrementAndGet();
  }

  /** Returns how often a slot was kept for what follows its job, since the node started. */
  public long kept() {
    return kept.sum();
  }

  /** Returns whether so few jobs wait for a slot that its claimer should claim more. */
  public boolean wantsRefill() {
    return queued.size() <= refill;
  }

  /** Returns whether jobs wait for slots of this lane, as far as this node knows. */
  public boolean isSought() {
    return hunger > 0 || queued.size() > 0 || unstarted.getAsInt() > 0;
  }

  /** Wakes the claimer when this many slots are free; 0 for never. */
  public synchronized void hungerFor(int slotsWanted) {
    if ((slotsWanted > 0) != (hunger > 0)) {
      slots.seek(slotsWanted > 0);
    }
    this.hunger = slotsWanted;
  }

  /** Returns whether another lane, or another node of the process, waits for slots of this one. */
  public boolean isContested() {
    return slots.turn() < slots.capacity() || slots.isSoughtBeyond(hunger > 0 ? 1 : 0);
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

  /** Releases the slot of an attempt that has ended. */
  public void release() {
    ended.increment();
    free();
  }

  /** Releases a slot, or passes it to the next job that waits for one. */
  public void free() {
    HeldJob next = queued.poll();
    if (next != null) {
      if (queued.size() == refill) {
        claimer.wake();
      }
      run.accept(next);
      return;
    }
    slots.release(1);
    if (queued.size() > 0) {
      startQueued(); // One that was added after the look, when the slot was not free yet.
    }
    if (unstarted.getAsInt() > 0) {
      starter.wake();
    }
    int wanted = hunger;
    if (wanted > 0 && slots.free() >= wanted) {
      claimer.wake();
    }
  }

  /** Starts jobs that wait, as far as there are free slots. */
  public void startQueued() {
    while (queued.size() > 0 && slots.free() > 0 && slots.reserve(1) == 1) {
      HeldJob next = queued.poll();
      if (next == null) {
        slots.release(1);
        return;
      }
      run.accept(next);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
