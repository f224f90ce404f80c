package dev.holdfast.engine.node;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * How a node shows that it lives, and how it takes over from others.
 *
 * @param heartbeat between two beats while jobs run; defaults to 10 s. Half of it under full load,
 *     up to twice of it while idle.
 * @param timeouts how long the node may be silent before others take its jobs back; defaults to 60
 *     s, both for jobs it has not begun and for those it runs. A database that is away for longer
 *     than three quarters of it interrupts everything the node runs, so long tasks want long terms.
 * @param sweep how often the node looks for others that are gone, less than the terms of what it
 *     takes back; defaults to 30 s
 * @param recoverClaimed whether it takes back jobs that were not begun; defaults to yes
 * @param recoverRunning whether it takes back jobs that were running; defaults to yes
 * @param keepHeartbeats whether every beat is kept for a day, to look into trouble; defaults to no
 * @param singleNode whether this is the only node: an exclusive lease for the running terms says so
 *     instead of beats, and a second node is refused; defaults to no
 */
public record LivenessSettings(
    Duration heartbeat,
    Timeouts timeouts,
    Duration sweep,
    boolean recoverClaimed,
    boolean recoverRunning,
    boolean keepHeartbeats,
    boolean singleNode) {

  /** For most. */
  public static final LivenessSettings DEFAULT =
      new LivenessSettings(
          Duration.ofSeconds(10),
          Timeouts.of(Duration.ofSeconds(60)),
          Duration.ofSeconds(30),
          true,
          true,
          false,
          false);

  /**
   * Others take over within seconds: heartbeat 1 s, terms 4 s, sweep 1 s. For quick tasks on a
   * steady network; a pause of three seconds costs a node everything it runs.
   */
  public static final LivenessSettings FAST_FAILOVER =
      new LivenessSettings(
          Duration.ofSeconds(1),
          Timeouts.of(Duration.ofSeconds(4)),
          Duration.ofSeconds(1),
          true,
          true,
          false,
          false);

  /** The lease of a node that is alone ends its time, and nothing else. */
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private static final int TERMS_PER_COMPARE = 5;
  private static final Duration LONGEST_COMPARE = Duration.ofHours(1);

  /** The terms must cover this many of the longest intervals between beats. */
  private static final int BEATS_WITHIN_TERMS = 3;

  public LivenessSettings {
    heartbeat = Times.positive("A heartbeat", heartbeat);
    sweep = Times.positive("A sweep interval", sweep);
    timeouts = new Timeouts(Times.bounded(timeouts.claimed()), Times.bounded(timeouts.running()));
    requireCovered("claimed", timeouts.claimed(), heartbeat);
    requireCovered("running", timeouts.running(), heartbeat);
    if (timeouts.claimed().compareTo(timeouts.running()) > 0) {
      throw new IllegalArgumentException(
          "Terms of %s for claimed jobs are longer than those of %s for running ones, after which a node is dead altogether: give at most %s."
              .formatted(timeouts.claimed(), timeouts.running(), timeouts.running()));
    }
    if (recoverClaimed) {
      requireSwept("claimed", timeouts.claimed(), sweep);
    }
    if (recoverRunning) {
      requireSwept("running", timeouts.running(), sweep);
    }
  }

  private static void requireSwept(String what, Duration terms, Duration sweep) {
    if (sweep.compareTo(terms) >= 0) {
      throw new IllegalArgumentException(
          "A sweep every %s is too rare for terms of %s for %s jobs: give less than the terms, such as %s, or do not take back such jobs."
              .formatted(sweep, terms, what, terms.dividedBy(2)));
    }
  }

  private static void requireCovered(String what, Duration terms, Duration heartbeat) {
    Duration least = heartbeat.multipliedBy(BEATS_WITHIN_TERMS);
    if (terms.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "Terms of %s for %s jobs are too short for a heartbeat every %s: give terms of at least %s, or a heartbeat of at most %s."
              .formatted(terms, what, heartbeat, least, terms.dividedBy(BEATS_WITHIN_TERMS)));
    }
  }

  /**
   * How long after its last beat a node goes on: less than its terms, by a margin in which tasks
   * heed their interrupt.
   */
  Duration allowed() {
    return singleNode ? FOR_EVER : timeouts.running().minus(margin());
  }

  /** How long tasks may take to heed their interrupt. */
  Duration margin() {
    return timeouts.running().dividedBy(4);
  }

  /**
   * How often the node compares everything that the database says it holds with what it does hold:
   * the last resort, for what no heartbeat asks about.
   */
  Duration compareEvery() {
    Duration terms = timeouts().running();
    return terms.compareTo(LONGEST_COMPARE.dividedBy(TERMS_PER_COMPARE)) > 0
        ? LONGEST_COMPARE
        : terms.multipliedBy(TERMS_PER_COMPARE);
  }

  /** These settings with some of them changed. */
  public LivenessSettings with(UnaryOperator<Builder> changes) {
    return changes.apply(new Builder(this)).build();
  }

  /** Collects changes to settings; what is not called stays as it was. */
  public static final class Builder {
    private Duration heartbeat;
    private Duration claimedTimeout;
    private Duration runningTimeout;
    private Duration sweep;
    private boolean recoverClaimed;
    private boolean recoverRunning;
    private boolean keepHeartbeats;
    private boolean singleNode;

    private Builder(LivenessSettings from) {
      this.heartbeat = from.heartbeat;
      this.claimedTimeout = from.timeouts.claimed();
      this.runningTimeout = from.timeouts.running();
      this.sweep = from.sweep;
      this.recoverClaimed = from.recoverClaimed;
      this.recoverRunning = from.recoverRunning;
      this.keepHeartbeats = from.keepHeartbeats;
      this.singleNode = from.singleNode;
    }

    public Builder heartbeat(Duration interval) {
      this.heartbeat = interval;
      return this;
    }

    /** Be dead to others after this much silence, and lose jobs that were not begun as well. */
    public Builder timeout(Duration silence) {
      this.claimedTimeout = silence;
      this.runningTimeout = silence;
      return this;
    }

    /** Lose jobs that were not begun after this much silence. */
    public Builder claimedTimeout(Duration silence) {
      this.claimedTimeout = silence;
      return this;
    }

    public Builder sweep(Duration interval) {
      this.sweep = interval;
      return this;
    }

    public Builder recover(boolean claimed, boolean running) {
      this.recoverClaimed = claimed;
      this.recoverRunning = running;
      return this;
    }

    public Builder keepHeartbeats(boolean keep) {
      this.keepHeartbeats = keep;
      return this;
    }

    /** Be the only node. */
    public Builder singleNode() {
      this.singleNode = true;
      return this;
    }

    private LivenessSettings build() {
      return new LivenessSettings(
          heartbeat,
          new Timeouts(claimedTimeout, runningTimeout),
          sweep,
          recoverClaimed,
          recoverRunning,
          keepHeartbeats,
          singleNode);
    }
  }
}
