package dev.holdfast.server.config;

/** What a server does. {@code all} stands for all three. */
public enum ServerMode {
  /** Serves the API. */
  API,
  /** Runs jobs. */
  WORKER,
  /** Fires schedules, starts what falls due, advances runs and keeps the database tidy. */
  SCHEDULER
}
