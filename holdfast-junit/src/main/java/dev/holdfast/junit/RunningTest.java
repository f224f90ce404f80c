package dev.holdfast.junit;

import dev.holdfast.api.Holdfast;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.node.TestNode;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What each test has for itself: a node with its client, and a store. */
final class RunningTest implements AutoCloseable {
  private final @Nullable TestNode inline;
  private final HoldfastNode node;
  private final @Nullable StoreOfTest opened;
  private final Store store;

  private RunningTest(
      @Nullable TestNode inline, HoldfastNode node, @Nullable StoreOfTest opened, Store store) {
    this.inline = inline;
    this.node = node;
    this.opened = opened;
    this.store = store;
  }

  /** Starts a node that runs jobs only when it is drained, in memory, on a separate clock. */
  static RunningTest inMemory(Consumer<NodeBuilder> configure) {
    TestNode node = TestNode.inMemory(configure);
    return new RunningTest(node, node.node(), null, node.store());
  }

  /**
   * Starts a node on a store, which is closed with it.
   *
   * @param background whether the node runs jobs on its own threads
   */
  static RunningTest on(StoreOfTest opened, boolean background, Consumer<NodeBuilder> configure) {
    try {
      return background ? background(opened, configure) : inline(opened, configure);
    } catch (RuntimeException | Error failure) {
      opened.close();
      throw failure;
    }
  }

  private static RunningTest inline(StoreOfTest opened, Consumer<NodeBuilder> configure) {
    TestNode node = TestNode.on(opened.store(), configure);
    return new RunningTest(node, node.node(), opened, opened.store());
  }

  private static RunningTest background(StoreOfTest opened, Consumer<NodeBuilder> configure) {
    // Unless the test says otherwise, it does not wait for jobs that it does not need.
    NodeBuilder builder = HoldfastNode.on(opened.store()).shutdownGrace(Duration.ZERO);
    configure.accept(builder);
    return new RunningTest(null, builder.start(), opened, opened.store());
  }

  /** Returns the node, if it runs jobs only when it is drained. */
  Optional<TestNode> inline() {
    return Optional.ofNullable(inline);
  }

  HoldfastNode node() {
    return node;
  }

  Holdfast client() {
    return node.client();
  }

  Store store() {
    return store;
  }

  /** Returns the database; empty if there is none. */
  Optional<DataSource> dataSource() {
    return Optional.ofNullable(opened).map(StoreOfTest::dataSource);
  }

  @Override
  public void close() {
    try {
      if (inline != null) {
        inline.close();
      } else {
        node.close();
      }
    } finally {
      if (opened != null) {
        opened.close();
      }
    }
  }
}
