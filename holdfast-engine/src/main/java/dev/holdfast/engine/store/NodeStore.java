package dev.holdfast.engine.store;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores nodes and their heartbeats. */
public interface NodeStore {

  /**
   * How long a node may be silent before other nodes act.
   *
   * @param claimed the silence after which jobs that it has claimed and not started are recovered
   * @param running the silence after which the node is declared dead and all of its jobs are
   *     recovered
   */
  record Timeouts(Duration claimed, Duration running) {
    /** Returns timeouts with the same value for both. */
    public static Timeouts of(Duration silence) {
      return new Timeouts(silence, silence);
    }

    /** Returns the shorter timeout: the silence after which other nodes may act at all. */
    public Duration shorter() {
      return claimed.compareTo(running) < 0 ? claimed : running;
    }
  }

  /**
   * The jobs of dead nodes whose recovery a node decides.
   *
   * @param tasks the tasks that it has a recovery policy for
   * @param stacks the stacks whose jobs it recovers, in addition to jobs without a stack; null for
   *     all
   */
  record Advice(Set<String> tasks, @Nullable Set<String> stacks) {
    public static final Advice NONE = new Advice(Set.of(), null);

    public boolean covers(String task, @Nullable String stack) {
      return tasks.contains(task) && (stacks == null || stack == null || stacks.contains(stack));
    }
  }

  /**
   * A node as it registers itself.
   *
   * @param incarnation identifies one run of the node: a new id at every start and after every
   *     fencing
   * @param id the id of the node
   * @param name the display name of the node
   * @param timeouts how long it may be silent before other nodes act
   * @param queues the queues it serves
   * @param tasks the tasks it has handlers for
   * @param capacity how many jobs it runs at once
   * @param stack the stack it belongs to; null for none
   * @param serves the stacks whose jobs it runs, in addition to jobs without a stack; may be {@link
   *     Stacks#ALL}
   * @param roles what it does
   * @param advice the jobs whose recovery other nodes leave to it
   * @param graphFormat the newest format of graphs that it reads
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
      Advice advice,
      int graphFormat) {
    /** Makes the sets read-only and keeps their order. */
    public NodeRegistration {
      queues = Collections.unmodifiableSet(queues);
      tasks = Collections.unmodifiableSet(tasks);
      serves = Collections.unmodifiableSet(serves);
      roles = Collections.unmodifiableSet(roles);
    }

    /** A node of this version. */
    public NodeRegistration(
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
        Advice advice) {
      this(
          incarnation,
          id,
          name,
          host,
          pid,
          version,
          timeouts,
          queues,
          tasks,
          capacity,
          stack,
          serves,
          roles,
          advice,
          Definitions.NEWEST_FORMAT);
    }
  }

  /**
   * A claim as stored in the database.
   *
   * @param suspect whether the job is a crash suspect
   */
  record ClaimRow(
      ClaimId claim,
      long claimNo,
      boolean started,
      boolean cancelRequested,
      boolean releaseRequested,
      boolean suspect) {

    /** Creates the claim of a job that is no crash suspect. */
    public ClaimRow(
        ClaimId claim,
        long claimNo,
        boolean started,
        boolean cancelRequested,
        boolean releaseRequested) {
      this(claim, claimNo, started, cancelRequested, releaseRequested, false);
    }
  }

  /**
   * A heartbeat.
   *
   * @param running how many jobs the node holds
   * @param fromCall the first claim call to report claims of. A node passes the oldest call whose
   *     jobs it still holds or whose result it does not know, so that a store need not read past
   *     ended jobs to find the held ones.
   * @param patience how long to wait for the reply before another connection is worth trying
   * @param useful how long a reply is of use: later, the node has fenced itself. A store that has
   *     no other connection to try waits this long
   * @param kept how long a record of the heartbeat is kept; zero for no record
   * @param lost what hung handlers cost the node at present
   */
  record Heartbeat(
      UUID incarnation,
      int running,
      long fromCall,
      Duration patience,
      Duration useful,
      Duration kept,
      Lost lost) {

    /** Creates a heartbeat of a node that has lost no slots. */
    public Heartbeat(
        UUID incarnation,
        int running,
        long fromCall,
        Duration patience,
        Duration useful,
        Duration kept) {
      this(incarnation, running, fromCall, patience, useful, kept, Lost.NONE);
    }
  }

  /**
   * What hung handlers cost a node: threads that do not respond to interruption occupy its slots.
   *
   * @param slots how many slots it has lost
   * @param lanes the lanes that have fewer slots than configured as a result
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
   * @param lost how many slots are not available
   * @param slots how many slots there are
   */
  record LostLane(String queue, int lost, int slots, List<String> tasks) {
    public LostLane {
      tasks = List.copyOf(tasks);
    }

    /** Returns whether no slot is left for jobs of this task in this queue. */
    public boolean blocks(String queueName, String task) {
      return lost >= slots && queue.equals(queueName) && tasks.contains(task);
    }
  }

  /**
   * The reply to a heartbeat.
   *
   * @param claims the claims that the incarnation holds from claim call {@link Heartbeat#fromCall}
   *     on
   * @param rules the rules of queues
   * @param tasks the rules of tasks that have any
   * @param modes the modes that the node is to use
   * @param fenceRequested whether the node was told to give up all jobs and restart with a new
   *     incarnation
   */
  record HeartbeatReply(
      List<ClaimRow> claims,
      Map<String, QueueStore.Rule> rules,
      Map<String, TaskStore.Rule> tasks,
      Modes modes,
      boolean fenceRequested) {}

  /** How an incarnation ended. */
  enum Death {
    /** The incarnation ended itself: nothing it held counts as a crash. */
    SELF_DECLARED,
    /** It was silent for longer than its timeout, or an operator declared it dead. */
    SILENCE
  }

  /**
   * The state of a watched node.
   *
   * @param beat the number of heartbeats it has sent
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

  /** A past heartbeat. */
  record PastHeartbeat(
      String node, UUID incarnation, Set<String> roles, String host, long pid, Instant at)
      implements NodeInfo.Heartbeat {}

  /** Registers a node. */
  default void register(NodeRegistration registration) {
    register(registration, Modes.FULL, null);
  }

  /**
   * Registers a node and, in the same step, marks its previous incarnation dead as self-declared.
   * The new incarnation keeps the modes of the previous one, no matter how they were set; the given
   * modes are for the first incarnation. It also keeps the declarations of schedules, which other
   * nodes would cancel otherwise.
   *
   * <p>A repeated call updates the registration and counts as a heartbeat: a node that repeats it
   * because the reply was lost counts its timeout from the repeat, and nodes that have watched an
   * unchanged counter since the first call must see it move. It does not revive a dead incarnation.
   *
   * @param before the previous incarnation; null for the first
   */
  void register(NodeRegistration registration, Modes modes, @Nullable UUID before);

  /**
   * Records a heartbeat: one row is written, no matter how many jobs the incarnation holds.
   *
   * @return the reply; empty if the incarnation is not recorded as alive, in which case the node
   *     must stop
   */
  Optional<HeartbeatReply> beat(Heartbeat beat);

  /** Records a heartbeat, and returns the claims of the given claim call and later ones. */
  default Optional<HeartbeatReply> beat(UUID incarnation, int running, long fromCall) {
    Duration patience = Duration.ofSeconds(30);
    return beat(new Heartbeat(incarnation, running, fromCall, patience, patience, Duration.ZERO));
  }

  /** Records a heartbeat, and returns all claims of the incarnation. */
  default Optional<HeartbeatReply> beat(UUID incarnation, int running) {
    return beat(incarnation, running, 0);
  }

  /**
   * Returns everything that an incarnation holds, from all of its claim calls. A store may have to
   * read past ended jobs to find it, so this is called rarely and never by a heartbeat.
   */
  List<ClaimRow> claims(UUID incarnation);

  /**
   * The result of {@link #look}.
   *
   * @param watched the live incarnations that the node watches
   * @param dead all incarnations that are dead and still hold jobs from the claim calls that their
   *     last heartbeat named. {@link Upkeep#tidy} finds those that hold jobs from earlier calls,
   *     and makes them visible here.
   */
  record Look(List<Pulse> watched, List<Dead> dead) {}

  /**
   * Reads the state of other nodes. The live nodes form a ring, in an order that does not depend on
   * when they started: each node watches the nodes after it, up to and including the given number
   * of nodes that are not DISABLED. So every node is watched by that number of others, and the
   * number of rows that all nodes read together grows with the number of nodes and not with its
   * square.
   *
   * @param watcher the incarnation that looks; it does not watch itself
   * @param reach how many nodes that are not DISABLED it watches
   * @param dead whether to look for dead incarnations too
   */
  Look look(UUID watcher, int reach, boolean dead);

  /**
   * Returns whether a live node that is not DISABLED has a recovery policy for a task and recovers
   * jobs of a stack.
   *
   * @param stack null for jobs of no stack
   */
  boolean isAdvised(String task, @Nullable String stack);

  /**
   * Marks a silent incarnation dead, unless it has sent a heartbeat since. From then on it can
   * claim and start nothing, and what it holds can be recovered.
   *
   * @param beat its last heartbeat
   * @param silence how long it has been silent
   * @return whether this call marked it dead
   */
  boolean markDead(UUID incarnation, long beat, Duration silence);

  /** Marks an incarnation dead as self-declared. */
  void leave(UUID incarnation);

  /**
   * Tells a live incarnation to give up all jobs and restart with a new incarnation. It does so at
   * its next heartbeat; if there is none, its timeout expires.
   *
   * @return whether the incarnation is recorded as alive
   */
  boolean requestFence(UUID incarnation);

  /**
   * Sets the modes of a live incarnation from its next heartbeat on, unless they have been changed
   * since the caller read them.
   *
   * @param seen the modes that the caller read
   * @return whether the modes were set
   */
  boolean setModes(UUID incarnation, Modes seen, Modes modes);

  /** Lists all nodes that are alive or died recently. */
  List<NodeSnapshot> list();

  /** Returns the latest heartbeats of a node, latest first, as far as records of them are kept. */
  List<PastHeartbeat> pastBeats(String id, int limit);

  /** Returns the incarnation that holds a job, if any. */
  Optional<UUID> holderOf(JobId id);
}
