package dev.holdfast.engine.node;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How a node shows that it is alive, and how it recovers the jobs of dead nodes.
 *
 * @param heartbeat the time between two heartbeats while jobs run; defaults to 10 s. Under full
 *     load it is half of that, while idle up to twice. A shorter interval costs more writes.
 * @param timeouts how long the node may be silent before other nodes take its jobs back; defaults
 *     to 60 s, both for jobs that have not started and for running ones. A node interrupts
 *     everything it runs when no heartbeat has succeeded for three quarters of the running timeout,
 *     for example during a database outage, so use long timeouts for long tasks. Short ones recover
 *     the jobs of dead nodes sooner.
 * @param sweep the longest time between two sweeps for dead nodes; defaults to 30 s. It must be
 *     less than the timeouts of the jobs that the node recovers.
 * @param recoverClaimed whether the node recovers jobs that had not started; defaults to true
 * @param recoverRunning whether the node recovers jobs that were running; defaults to true
 * @param awaitRecoveryPolicy how long a crashed job whose task decides about it waits for a node
 *     that has a recovery policy for the task, before it is dead-lettered; defaults to 5 minutes
 * @param keepHeartbeats how long a record of each heartbeat is kept, for troubleshooting; defaults
 *     to zero, which means that none is written
 * @param singleNode whether this is the only node on its database: it holds an exclusive lease for
 *     the running timeout instead of being watched by its heartbeats, and a second node is
 *     rejected; defaults to false
 */
public record LivenessSettings(
    Duration heartbeat,
    Timeouts timeouts,
    Duration sweep,
    boolean recoverClaimed,
    boolean recoverRunning,
    Duration awaitRecoveryPolicy,
    Duration keepHeartbeats,
    boolean singleNode) {

  /** Long enough for the only node that has a policy to be restarted or deployed. */
  private static final Duration POLICY_AWAITED = Duration.ofMinutes(5);

  /** The defaults, which suit most applications: heartbeat 10 s, timeouts 60 s, sweep 30 s. */
  public static final LivenessSettings DEFAULT =
      new LivenessSettings(
          Duration.ofSeconds(10),
          Timeouts.of(Duration.ofSeconds(60)),
          Duration.ofSeconds(30),
          true,
          true,
          POLICY_AWAITED,
          Duration.ZERO,
          false);

  /**
   * Settings with which other nodes take over within seconds: heartbeat 1 s, timeouts 4 s, sweep 1
   * s. For short tasks on a reliable network: after a pause of three seconds a node loses
   * everything it runs.
   */
  public static final LivenessSettings FAST_FAILOVER =
      new LivenessSettings(
          Duration.ofSeconds(1),
          Timeouts.of(Duration.ofSeconds(4)),
          Duration.ofSeconds(1),
          true,
          true,
          POLICY_AWAITED,
          Duration.ZERO,
          false);

  /** A single node has no deadline: only the loss of its lease fences it. */
  private static final Duration UNLIMITED = Duration.ofDays(36_500);

  private static final int TIMEOUTS_PER_COMPARE = 5;
  private static final Duration LONGEST_COMPARE = Duration.ofHours(1);

  /** A timeout must cover this many heartbeat intervals. */
  private static final int HEARTBEATS_WITHIN_TIMEOUT = 3;

  public LivenessSettings {
    heartbeat = Times.positive("A heartbeat", heartbeat);
    sweep = Times.positive("A sweep interval", sweep);
    awaitRecoveryPolicy = Times.notNegative("A wait for recovery policies", awaitRecoveryPolicy);
    keepHeartbeats = Times.notNegative("A retention of heartbeats", keepHeartbeats);
    timeouts = new Timeouts(Times.bounded(timeouts.claimed()), Times.bounded(timeouts.running()));
    requireCovered("claimed", timeouts.claimed(), heartbeat);
    requireCovered("running", timeouts.running(), heartbeat);
    if (timeouts.claimed().compareTo(timeouts.running()) > 0) {
      throw new IllegalArgumentException(
          "A timeout of %s for claimed jobs is longer than the one of %s for running jobs, after which the whole node is dead: use at most %s."
              .formatted(
                  Times.describe(timeouts.claimed()),
                  Times.describe(timeouts.running()),
                  Times.describe(timeouts.running())));
    }
    if (recoverClaimed) {
      requireSwept("claimed", timeouts.claimed(), sweep);
    }
    if (recoverRunning) {
      requireSwept("running", timeouts.running(), sweep);
    }
  }

  private static void requireSwept(String what, Duration timeout, Duration sweep) {
    if (sweep.compareTo(timeout) >= 0) {
      throw new IllegalArgumentException(
          "A sweep interval of %s is too long for a timeout of %s for %s jobs: use less than the timeout, such as %s, or do not recover such jobs."
              .formatted(
                  Times.describe(sweep),
                  Times.describe(timeout),
                  what,
                  Times.describe(timeout.dividedBy(2))));
    }
  }

  private static void requireCovered(String what, Duration timeout, Duration heartbeat) {
    Duration least = heartbeat.multipliedBy(HEARTBEATS_WITHIN_TIMEOUT);
    if (timeout.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "A timeout of %s for %s jobs is too short for a heartbeat every %s: use a timeout of at least %s, or a heartbeat of at most %s."
              .formatted(
                  Times.describe(timeout),
                  what,
                  Times.describe(heartbeat),
                  Times.describe(least),
                  Times.describe(timeout.dividedBy(HEARTBEATS_WITHIN_TIMEOUT))));
    }
  }

  /**
   * Returns how long after its last successful heartbeat a node may act: less than its timeout, by
   * a margin in which tasks respond to interruption.
   */
  Duration allowed() {
    return singleNode ? UNLIMITED : timeouts.running().minus(margin());
  }

  /** Returns how long tasks may take to respond to interruption. */
  Duration margin() {
    return timeouts.running().dividedBy(4);
  }

  /**
   * Returns how often the node compares everything that the database says it holds with what it
   * does hold. This is the last resort, for claims that no heartbeat asks about.
   */
  Duration compareEvery() {
    Duration timeout = timeouts().running();
    return timeout.compareTo(LONGEST_COMPARE.dividedBy(TIMEOUTS_PER_COMPARE)) > 0
        ? LONGEST_COMPARE
        : timeout.multipliedBy(TIMEOUTS_PER_COMPARE);
  }

  /** Returns these settings with some of them changed. */
  public LivenessSettings with(Consumer<Builder> changes) {
    Builder builder = new Builder(this);
    changes.accept(builder);
    return builder.build();
  }

  /** Collects changes to settings. A setting that is not changed keeps its value. */
  public static final class Builder {
    private Duration heartbeat;
    private Duration claimedTimeout;
    private Duration runningTimeout;
    private Duration sweep;
    private boolean recoverClaimed;
    private boolean recoverRunning;
    private Duration awaitRecoveryPolicy;
    private Duration keepHeartbeats;
    private boolean singleNode;

    private Builder(LivenessSettings from) {
      this.heartbeat = from.heartbeat;
      this.claimedTimeout = from.timeouts.claimed();
      this.runningTimeout = from.timeouts.running();
      this.sweep = from.sweep;
      this.recoverClaimed = from.recoverClaimed;
      this.recoverRunning = from.recoverRunning;
      this.awaitRecoveryPolicy = from.awaitRecoveryPolicy;
      this.keepHeartbeats = from.keepHeartbeats;
      this.singleNode = from.singleNode;
    }

    /**
     * Sets the time between two heartbeats while jobs run. Under full load it is half of that,
     * while idle up to twice. A shorter interval costs more writes; a longer one needs longer
     * timeouts, which must be at least three times as long. Defaults to 10 s.
     */
    public Builder heartbeat(Duration interval) {
      this.heartbeat = interval;
      return this;
    }

    /**
     * Sets how long the node may be silent before other nodes declare it dead and take back all its
     * jobs, including those that have not started. A short timeout recovers jobs sooner; with a
     * long one, running jobs survive longer pauses and database outages. Must be at least three
     * heartbeats, and longer than {@code sweep} unless {@link #recover} is switched off. Defaults
     * to 60 s.
     */
    public Builder timeout(Duration silence) {
      this.claimedTimeout = silence;
      this.runningTimeout = silence;
      return this;
    }

    /**
     * Sets how long the node may be silent before other nodes take back its jobs that have not
     * started. These can be taken back earlier than running ones, because no code runs for them.
     * Must be at least three heartbeats, at most the {@link #timeout}, and longer than {@code
     * sweep} unless {@link #recover} is switched off for such jobs. Defaults to the timeout, 60 s.
     */
    public Builder claimedTimeout(Duration silence) {
      this.claimedTimeout = silence;
      return this;
    }

    /**
     * Sets the longest time between two sweeps for dead nodes. Nodes that hold jobs are watched
     * more closely than that. A shorter interval costs more reads. Must be less than the timeouts
     * of the jobs that the node recovers. Defaults to 30 s.
     */
    public Builder sweep(Duration interval) {
      this.sweep = interval;
      return this;
    }

    /**
     * Sets whether the node recovers jobs of dead nodes that had not started, and jobs that were
     * running. Where no node recovers them, such jobs stay claimed. Defaults to both.
     */
    public Builder recover(boolean claimed, boolean running) {
      this.recoverClaimed = claimed;
      this.recoverRunning = running;
      return this;
    }

    /**
     * Sets how long this node, when it recovers a job whose crash policy is {@link
     * dev.holdfast.api.policy.CrashPolicy#decidedByTask}, waits for a live node that has a recovery
     * policy for the task. The first sweep after that dead-letters the job. The time counts from
     * the first sweep of this node that finds such a job and no such node. A long wait leaves time
     * to deploy or restart the nodes that have the policy; meanwhile the job stays with its dead
     * node. Zero dead-letters such jobs immediately. Defaults to 5 minutes.
     */
    public Builder awaitRecoveryPolicy(Duration atMost) {
      this.awaitRecoveryPolicy = atMost;
      return this;
    }

    /**
     * Keeps a record of each heartbeat of this node for the given time, for troubleshooting, at the
     * price of one more row for each: about 8,600 rows a day at the default interval. {@link
     * Duration#ZERO} writes none. Records are deleted within about an hour after their time, also
     * when the node is gone. Defaults to zero.
     */
    public Builder keepHeartbeats(Duration time) {
      this.keepHeartbeats = time;
      return this;
    }

    /**
     * Makes this the only node on its database. It holds an exclusive lease for the running
     * timeout, needs only one heartbeat per minute, and a second node is rejected. If the lease is
     * lost, the node interrupts everything it runs and stops without grace. Defaults to false.
     */
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
          awaitRecoveryPolicy,
          keepHeartbeats,
          singleNode);
    }
  }
}
