package dev.holdfast.embedded;

import java.util.concurrent.Executor;

/** Threads for tests that need two things to happen at once. */
final class Threads {

  /** A thread for each task; the common pool has one thread in all on a small machine. */
  static final Executor OWN = task -> Thread.ofPlatform().daemon().start(task);

  private Threads() {}
}
