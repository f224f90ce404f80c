package dev.holdfast.postgres.notify;

import dev.holdfast.engine.held.LogContext;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The nodes that a coordinator works for, so that the log lines of its threads name them as those
 * of every other thread of a node do.
 */
final class NodeNames {
  private final List<Name> names = new CopyOnWriteArrayList<>();
  private final Name creator = Name.current();

  /** What the log context of a thread says. Not a record: two may be equal and yet be two. */
  static final class Name {
    private final @Nullable String node;
    private final @Nullable String name;

    private Name(@Nullable String node, @Nullable String name) {
      this.node = node;
      this.name = name;
    }

    /** The node that the current thread works for. */
    static Name current() {
      return new Name(MDC.get(LogContext.NODE), MDC.get(LogContext.NAME));
    }

    /** Run this in the name of the node. */
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

  /** Run this in the name of all nodes; of the one that created the coordinator before any. */
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
