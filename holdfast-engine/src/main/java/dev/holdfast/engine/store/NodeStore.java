package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Which nodes there are, and that they live. */
public interface NodeStore {

  /**
   * How long a node may be silent before others may act.
   *
   * @param claimed before jobs that it holds and has not begun are taken back
   * @param running before it is dead to others, and all of its jobs are taken back
   */
  record Timeouts(Duration claimed, Duration running) {
    /** The same for both. */
    public static Timeouts of(Duration silence) {
      return new Timeouts(silence, silence);
    }

    /** After how much silence others may act at all. */
    public Duration shorter() {
      return claimed.compareTo(running) < 0 ? claimed : running;
    }
  }

  /**
   * Which jobs whose holder died a node has something to say about.
   *
   * @param tasks those it has a recovery policy for
   * @param stacks of which stacks it takes jobs back, besides those of none; null for all
   */
  record Advice(Set<String> tasks, @Nullable Set<String> stacks) {
    public static final Advice NONE = new Advice(Set.of(), null);

    public boolean covers(String task, @Nullable String stack) {
      return tasks.contains(task) && (stacks == null || stack == null || stacks.contains(stack));
    }
  }

  /**
   * A node as it introduces itself.
   *
   * @param incarnation new at every start
   * @param id what people call it
   * @param name what else people call it
   * @param timeouts how long it may be silent before others may take over
   * @param queues the queues it serves
   * @param tasks the tasks it has handlers for
   * @param capacity how many jobs it runs at once
   * @param stack the fleet it belongs to; null for none
   * @param serves the fleets whose jobs it runs, besides jobs of none
   * @param roles what it does
   * @param advice what others leave to it
   */
  record NodeRegistration(
      UUID incarnation,
      String id,
      @Nullable String name,
      String host,
      long pid,
      String version,
      Timeouts timeouts,
      Set<String> queues,
      Set<String> tasks,
      int capacity,
      @Nullable String stack,
      Set<String> serves,
      Set<String> roles,
      Advice advice) {}

  /** A claim as the database has it. */
  record ClaimRow(
      ClaimId claim,
      long claimNo,
      boolean started,
      boolean cancelRequested,
      boolean releaseRequested) {}

  /**
   * A sign of life.
   *
   * @param running how many jobs the node holds
   * @param fromCall the first claim call to report claims of. A node names the oldest that it still
   *     holds anything by or does not know the answer to, so that a store need not look past what
   *     is long done to find what is held.
   * @param patience how long to wait for the reply before another connection is worth a try
   * @param useful how long a reply counts: later, the node has fenced itself. A store that has no
   *     other connection to try waits this long
   * @param kept whether the beat is to be found in the history of heartbeats
   * @param lost what hung handlers cost the node at present
   */
  record Beat(
      UUID incarnation,
      int running,
      long fromCall,
      Duration patience,
      Duration useful,
      boolean kept,
      Lost lost) {

    /** A heartbeat of a node that has lost no slots. */
    public Beat(
        UUID incarnation,
        int running,
        long fromCall,
        Duration patience,
        Duration useful,
        boolean kept) {
      this(incarnation, running, fromCall, patience, useful, kept, Lost.NONE);
    }
  }

  /**
   * What hung handlers cost a node: threads that ignore their interrupt occupy its slots.
   *
   * @param slots how many it has lost
   * @param lanes where that leaves fewer than there should be
   */
  record Lost(int slots, List<LostLane> lanes) {
    public static final Lost NONE = new Lost(0, List.of());

    public Lost {
      lanes = List.copyOf(lanes);
    }
  }

  /**
   * Slots that tasks of a queue share.
   *
   * @param lost how many cannot be had
   * @param slots how many there are
   */
  record LostLane(String queue, int lost, int slots, List<String> tasks) {
    public LostLane {
      tasks = List.copyOf(tasks);
    }

    /** Whether jobs of this task in this queue find none that is left. */
    public boolean blocks(String queueName, String task) {
      return lost >= slots && queue.equals(queueName) && tasks.contains(task);
    }
  }

  /**
   * The answer to a beat.
   *
   * @param claims what the incarnation holds by the calls that were asked about
   * @param rules the rules of queues
   * @param tasks the rules of tasks that have any
   * @param modes what the node is to do
   * @param fenceRequested whether somebody has told the node to give up everything and start over
   */
  record BeatReply(
      List<ClaimRow> claims,
      Map<String, QueueStore.Rule> rules,
      Map<String, TaskStore.Rule> tasks,
      Modes modes,
      boolean fenceRequested) {}

  /** How an incarnation ended. */
  enum Death {
    /** By its own hand: nothing it held counts as a crash. */
    SELF_DECLARED,
    /** It was silent for longer than its terms. */
    SILENCE
  }

  /**
   * What a node sees of one that it watches.
   *
   * @param beat how many times it has beaten
   * @param busy whether it holds jobs
   */
  record Pulse(UUID incarnation, String id, Timeouts timeouts, long beat, boolean busy) {}

  /**
   * An incarnation that is dead and still holds jobs.
   *
   * @param death how it ended
   * @param silence how long it had been silent when it was marked dead
   */
  record Dead(UUID incarnation, String id, Death death, Duration silence) {}

  /**
   * A node as people look at it.
   *
   * @param running how many jobs it held at its last heartbeat; 0 for the dead
   * @param lost what hung handlers cost it at its last heartbeat; nothing for the dead
   */
  record NodeStatus(
      NodeRegistration registration,
      boolean alive,
      long beat,
      Instant startedAt,
      Duration sinceLastHeartbeat,
      int running,
      Modes modes,
      Lost lost) {}

  /** A heartbeat of the past. */
  record PastHeartbeat(
      UUID incarnation, String node, Set<String> roles, String host, long pid, Instant at) {}

  /** Make a node known. */
  default void register(NodeRegistration card) {
    register(card, Modes.FULL, null);
  }

  /**
   * Make a node known and, in the same step, mark the incarnation dead by its own hand that it was
   * before. Its modes go over to the new one, whoever set them; the given ones are for the first.
   * So do its declarations of schedules, which other nodes would cancel otherwise.
   *
   * <p>Repeating it changes the card, and is a sign of life as a beat is: who repeats it because
   * the answer was lost counts its time from the repeat, and others who have watched a silent
   * counter since the first must see it move. It does not raise the dead.
   */
  void register(NodeRegistration card, Modes modes, @Nullable UUID before);

  /**
   * Say that an incarnation lives: one row is written, however many jobs it holds.
   *
   * @return what it holds; empty if it is not alive in the books, and so must stop
   */
  Optional<BeatReply> beat(Beat beat);

  /** Say that an incarnation lives, and ask about what it holds by this call or later ones. */
  default Optional<BeatReply> beat(UUID incarnation, int running, long fromCall) {
    Duration patience = Duration.ofSeconds(30);
    return beat(new Beat(incarnation, running, fromCall, patience, patience, false));
  }

  /** Say that an incarnation lives, and ask about everything it holds. */
  default Optional<BeatReply> beat(UUID incarnation, int running) {
    return beat(incarnation, running, 0);
  }

  /**
   * Everything that an incarnation holds, whatever its claim calls. A store may have to look past
   * what is long done to find it, so this is asked rarely and never by a heartbeat.
   */
  List<ClaimRow> claims(UUID incarnation);

  /**
   * What a look shows.
   *
   * @param watched the live incarnations that the node watches
   * @param dead all incarnations that are dead and still hold jobs by the claim calls that their
   *     last beat named. {@link Upkeep#tidy} finds those that hold jobs by earlier calls, and makes
   *     them seen here.
   */
  record Look(List<Pulse> watched, List<Dead> dead) {}

  /**
   * Look at other nodes. The live ones stand in a circle, in an order that has nothing to do with
   * when they started: each node watches those after it, up to and including the given number of
   * nodes that are not DISABLED. So every node is watched by that number of others, and all nodes
   * together read a number of rows that grows with the nodes and not with their square.
   *
   * @param watcher the incarnation that looks; it is not among those that it watches
   * @param reach how many nodes that are not DISABLED it watches
   * @param dead whether to look for dead incarnations too
   */
  Look look(UUID watcher, int reach, boolean dead);

  /**
   * Whether a live node that is not DISABLED has a recovery policy for a task, and recovers jobs of
   * a stack.
   *
   * @param stack null for jobs of no stack
   */
  boolean isAdvised(String task, @Nullable String stack);

  /**
   * Mark an incarnation dead that was silent, provided that it has not beaten since.
   *
   * @param beat the beat at which it fell silent
   * @param silence for how long
   * @return whether it is dead by this call
   */
  boolean markDead(UUID incarnation, long beat, Duration silence);

  /** Mark an incarnation dead, by its own hand. */
  void leave(UUID incarnation);

  /**
   * Tell a live incarnation to give up everything and start over. It does so at its next beat; if
   * there is none, its terms lapse.
   *
   * @return whether it is alive in the books
   */
  boolean requestFence(UUID incarnation);

  /**
   * Tell a live incarnation what to do from its next beat on, provided that nobody has told it
   * otherwise since.
   *
   * @param seen what it was told to do when somebody looked
   * @return whether it is told
   */
  boolean setModes(UUID incarnation, Modes seen, Modes modes);

  /** All nodes that are alive or died lately. */
  List<NodeStatus> list();

  /** The latest heartbeats of a node, latest first, as far as they were kept. */
  List<PastHeartbeat> pastBeats(String id, int limit);

  /** The incarnation that holds a job, if any. */
  Optional<UUID> holderOf(JobId id);
}
