package dev.holdfast.bench.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** The faults to inject into a cluster, and when; the same for the same seed. */
record Script(List<Blow> blows) {
  /** The member whose wall clock can be set. */
  static final int CLOCK_MEMBER = 0;

  private static final Duration SHORTEST_GAP = Duration.ofMillis(800);
  private static final Duration LONGEST_GAP = Duration.ofMillis(2500);
  // Around the deadline of fast failover, three seconds, and its timeout, four.
  private static final Duration SHORTEST_OUTAGE = Duration.ofMillis(1500);
  private static final Duration LONGEST_OUTAGE = Duration.ofSeconds(9);
  private static final Duration REPLACED_AFTER = Duration.ofSeconds(4);

  /** A kind of fault. */
  enum Kind {
    /** kill -9 of a node. */
    KILL(true, "kills"),
    /** SIGSTOP of a node, later SIGCONT. */
    PAUSE(true, "pauses"),
    /** The network of a node drops everything silently. */
    CUT_SILENTLY(true, "silent_cuts"),
    /** The network of a node breaks its connections and refuses new ones. */
    CUT_HARD(true, "hard_cuts"),
    /** About half of the sessions in the database are terminated. */
    TERMINATE(false, "terminations"),
    /** PostgreSQL is stopped cleanly and restarted. */
    RESTART(false, "restarts"),
    /** kill -9 of PostgreSQL, and a restart. */
    CRASH(false, "crashes"),
    /** A transaction stays open and idle. */
    IDLE_TRANSACTION(false, "idle_transactions"),
    /** The wall clock of a node is wrong by an hour. */
    CLOCK(false, "clock_shifts");

    /** Whether it disables one node for its duration. */
    private final boolean strikesOne;

    private final String measure;

    Kind(boolean strikesOne, String measure) {
      this.strikesOne = strikesOne;
      this.measure = measure;
    }

    /** Returns the name of the measure that counts it. */
    String measure() {
      return measure;
    }
  }

  /**
   * One fault.
   *
   * @param member the affected node, if the fault affects a single node
   */
  record Blow(Duration at, Kind kind, int member, Duration length) {}

  /**
   * The parameters of a script.
   *
   * @param idle how long a transaction is held open
   * @param clocks whether the wall clock can be set
   */
  record Stage(int members, Duration length, Duration idle, boolean clocks) {}

  static Script of(long seed, Stage stage) {
    Random random = new Random(seed);
    Set<Kind> kinds = EnumSet.allOf(Kind.class);
    if (!stage.clocks) {
      kinds.remove(Kind.CLOCK);
    }
    Duration[] freeAt = new Duration[stage.members];
    Arrays.fill(freeAt, Duration.ZERO);
    List<Blow> blows = new ArrayList<>();
    Duration at = Duration.ZERO;
    while (true) {
      // In rounds, so that a short run also has all kinds.
      List<Kind> round = new ArrayList<>(kinds);
      Collections.shuffle(round, random);
      for (Kind kind : round) {
        at = at.plus(between(random, SHORTEST_GAP, LONGEST_GAP));
        Duration length = length(kind, stage, random);
        int member = kind == Kind.CLOCK ? CLOCK_MEMBER : random.nextInt(stage.members);
        if (kind.strikesOne) {
          at = later(at, freeAt[member]);
          freeAt[member] = at.plus(length).plus(SHORTEST_GAP);
        }
        if (at.compareTo(stage.length) > 0) {
          return new Script(List.copyOf(blows));
        }
        blows.add(new Blow(at, kind, member, length));
      }
    }
  }

  private static Duration length(Kind kind, Stage stage, Random random) {
    return switch (kind) {
      case KILL -> REPLACED_AFTER;
      case PAUSE, CUT_SILENTLY, CUT_HARD, CLOCK -> between(random, SHORTEST_OUTAGE, LONGEST_OUTAGE);
      case TERMINATE, RESTART, CRASH -> Duration.ZERO;
      case IDLE_TRANSACTION -> stage.idle;
    };
  }

  private static Duration between(Random random, Duration least, Duration most) {
    return Duration.ofMillis(random.nextLong(least.toMillis(), most.toMillis()));
  }

  private static Duration later(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  long count(Kind kind) {
    return blows.stream().filter(blow -> blow.kind == kind).count();
  }
}
