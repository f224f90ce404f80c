package dev.holdfast.engine.liveness;

/**
 * How many jobs were recovered.
 *
 * @param withoutCrash how many went back to their queue without a crash
 * @param crashed how many are tried again after a crash
 */
record SweepCounts(int withoutCrash, int crashed, int deadLettered, int cancelled) {
  static final SweepCounts NONE = new SweepCounts(0, 0, 0, 0);

  int total() {
    return withoutCrash + crashed + deadLettered + cancelled;
  }

  SweepCounts plus(SweepCounts more) {
    return new SweepCounts(
        withoutCrash + more.withoutCrash,
        crashed + more.crashed,
        deadLettered + more.deadLettered,
        cancelled + more.cancelled);
  }
}
