package dev.holdfast.postgres;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import java.time.Duration;

/** A program with nodes that ends in a given way. */
final class EndingProgram {
  /** How it ends. */
  enum Way {
    /** Main returns once the node has started. Nothing stops the node. */
    RETURNS,
    /** Main returns, and a signal stops the node. */
    RETURNS_AND_DRAINS_ON_SIGNALS,
    /** Main closes the node when it sees that the node is stopping, and then the store. */
    CLOSES_DURING_A_DRAIN,
    /** Main calls {@code System.exit} inside a try-with-resources. */
    EXITS,
    /** Main leaves a try-with-resources. */
    LEAVES_ITS_BLOCK,
    /** Two nodes are stopped, one of which fails to close its executor. */
    TWO_NODES
  }

  /** A payload. */
  record Nap(Duration length) {}

  static final TaskType<Nap, String> TASK = TaskType.of("test::nap", Nap.class, String.class);
  static final Duration GRACE = Duration.ofSeconds(3);

  private EndingProgram() {}

  /** Takes the URL, user and password of a database, and the way to end. */
  public static void main(String[] args) throws Exception {
    PostgresStore store =
        PostgresStore.connect(
            PostgresSettings.builder(args[0]).user(args[1]).password(args[2]).build());
    switch (Way.valueOf(args[3])) {
      case RETURNS -> {
        node(store, "one").start();
        say(NodeProcess.READY);
      }
      case RETURNS_AND_DRAINS_ON_SIGNALS -> {
        node(store, "one").stopOnSignals().start();
        say(NodeProcess.READY);
      }
      case CLOSES_DURING_A_DRAIN -> {
        HoldfastNode node = node(store, "one").stopOnSignals().start();
        say(NodeProcess.READY);
        while (node.isReady()) {
          Thread.sleep(5);
        }
        node.close();
        store.close();
      }
      case EXITS -> {
        try (HoldfastNode node = node(store, "one").stopOnSignals().start()) {
          say(NodeProcess.READY);
          awaitLine();
          System.exit(7);
        }
      }
      case LEAVES_ITS_BLOCK -> {
        try (store;
            HoldfastNode node = node(store, "one").start()) {
          say(NodeProcess.READY);
          awaitLine();
        }
      }
      case TWO_NODES -> {
        node(store, "one").executor(new Unclosable()).stopOnSignals().start();
        node(store, "two").stopOnSignals().start();
        say(NodeProcess.READY);
      }
    }
  }

  /** Returns a node that runs one job at a time, so that two jobs run on two nodes. */
  private static NodeBuilder node(PostgresStore store, String id) {
    return HoldfastNode.on(store)
        .id(id)
        .queue("default", 2)
        .maxConcurrent(2)
        .shutdownGrace(GRACE)
        .handle(
            TASK,
            (nap, context) -> {
              say("STARTED");
              Thread.sleep(nap.length());
              return "done";
            });
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private static void awaitLine() throws Exception {
    while (System.in.read() != '\n') {
      // Until the test sends a line.
    }
  }

  /** Runs jobs, and throws when it is closed. */
  private static final class Unclosable implements TaskExecutor {
    private final TaskExecutor virtual = TaskExecutor.virtual();

    @Override
    public String name() {
      return VIRTUAL;
    }

    @Override
    public int capacity() {
      return virtual.capacity();
    }

    @Override
    public void execute(Runnable job) {
      virtual.execute(job);
    }

    @Override
    public void close() {
      throw new IllegalStateException("cannot be closed");
    }
  }
}
