package dev.holdfast.bench;

import java.util.Locale;

/** What {@code --only} can name: a library, or a kind of measurement. */
enum PeerPart {
  HOLDFAST(true),
  GRAPHILE_WORKER(true),
  PG_BOSS(true),
  DB_SCHEDULER(true),
  JOBRUNR(true),
  QUARTZ(true),
  DEFAULT(false),
  TUNED(false),
  START(false);

  final boolean isLibrary;

  PeerPart(boolean isLibrary) {
    this.isLibrary = isLibrary;
  }

  /** Returns the name in arguments and measures. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
