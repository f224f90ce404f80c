package dev.holdfast.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.bench.peers.DbSchedulerPeer;
import dev.holdfast.bench.peers.JobRunrPeer;
import dev.holdfast.bench.peers.Peer;
import dev.holdfast.bench.peers.QuartzPeer;
import dev.holdfast.bench.peers.Tuning;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The peers in Java. */
enum JavaPeers {
  DB_SCHEDULER("db-scheduler", "db-scheduler 16.12.0", 20_000, 20_000),
  JOBRUNR("jobrunr", "JobRunr 8.7.0", 5_000, 10_000),
  QUARTZ("quartz", "Quartz 2.5.2", 1_000, 1_500);

  /** Its name in measures. */
  final String label;

  /** Its name and version. */
  final String title;

  private final int jobs;
  private final int jobsTuned;

  JavaPeers(String label, String title, int jobs, int jobsTuned) {
    this.label = label;
    this.title = title;
    this.jobs = jobs;
    this.jobsTuned = jobsTuned;
  }

  /** Returns how many jobs it runs in a few seconds. */
  int jobs(Tuning tuning) {
    return tuning == Tuning.TUNED ? jobsTuned : jobs;
  }

  Peer create(Tuning tuning) {
    return switch (this) {
      case DB_SCHEDULER -> new DbSchedulerPeer(tuning);
      case JOBRUNR -> new JobRunrPeer(tuning);
      case QUARTZ -> new QuartzPeer(tuning);
    };
  }

  /** Turns off the loggers of the peers, whose output would hide the table. */
  static void silence() {
    for (String name : List.of("org.jobrunr", "org.quartz", "com.github.kagkarlsson")) {
      if (LoggerFactory.getLogger(name) instanceof Logger logger) {
        logger.setLevel(Level.OFF);
      }
    }
  }
}
