package dev.holdfast.embedded;

import java.util.concurrent.Executor;

/** Threads for tests of concurrent actions. */
final class Threads {

  /** Starts a thread for each task; on a small machine the common pool has only one thread. */
  static final Executor OWN = task -> Thread.ofPlatform().daemon().start(task);

  private Threads() {}
}
