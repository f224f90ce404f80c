package dev.holdfast.postgres.notify;

import dev.holdfast.engine.held.LogContext;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The nodes that a coordinator works for. The log lines of its threads name them, like the log
 * lines of every other thread of a node.
 */
final class NodeNames {
  private final List<Name> names = new CopyOnWriteArrayList<>();
  private final Name creator = Name.current();

  /** The log context of a thread. Not a record: two equal names must remain distinct. */
  static final class Name {
    private final @Nullable String node;
    private final @Nullable String name;

    private Name(@Nullable String node, @Nullable String name) {
      this.node = node;
      this.name = name;
    }

    /** Returns the node that the current thread works for. */
    static Name current() {
      return new Name(MDC.get(LogContext.NODE), MDC.get(LogContext.NAME));
    }

    /** Runs work with the log context of the node. */
    void speak(Runnable work) {
      speakFor(node, name, work);
    }
  }

  void add(Name name) {
    names.add(name);
  }

  void remove(Name name) {
    names.remove(name);
  }

  /**
   * Runs work with the log context of all nodes, or of the thread that created the coordinator if
   * there are none yet.
   */
  void speak(Runnable work) {
    List<Name> all = names.isEmpty() ? List.of(creator) : names;
    speakFor(
        all.stream()
            .map(one -> one.node)
            .filter(Objects::nonNull)
            .distinct()
            .sorted()
            .collect(Collectors.joining(",")),
        all.stream()
            .map(one -> one.name)
            .filter(Objects::nonNull)
            .distinct()
            .sorted()
            .collect(Collectors.joining(",")),
        work);
  }

  private static void speakFor(@Nullable String node, @Nullable String name, Runnable work) {
    String nodeBefore = MDC.get(LogContext.NODE);
    String nameBefore = MDC.get(LogContext.NAME);
    set(LogContext.NODE, node);
    set(LogContext.NAME, name);
    try {
      work.run();
    } finally {
      set(LogContext.NODE, nodeBefore);
      set(LogContext.NAME, nameBefore);
    }
  }

  private static void set(String key, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      MDC.remove(key);
    } else {
      MDC.put(key, value);
    }
  }
}
