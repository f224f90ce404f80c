package dev.holdfast.bench;

import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Records when a node looks for dead nodes, and when it has recovered their jobs. */
final class SweepWatch {
  private final Store store;
  private long looked;
  private long started;
  private long ended;

  SweepWatch(Store store) {
    this.store = store;
  }

  /** Returns a proxy of the store that records the calls. */
  Store watched() {
    NodeStore nodes = proxy(NodeStore.class, store.nodes());
    Recovery recovery = proxy(Recovery.class, store.recovery());
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "nodes" -> nodes;
                  case "recovery" -> recovery;
                  default -> call(store, method, arguments);
                });
  }

  private <T> T proxy(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              long before = System.nanoTime();
              Object result = call(target, method, arguments);
              note(method.getName(), before);
              return result;
            }));
  }

  private synchronized void note(String method, long before) {
    if (method.equals("look")) {
      looked = before;
    } else if (method.equals("recover")) {
      if (started == 0) {
        started = looked;
      }
      ended = System.nanoTime();
    }
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getCause() == null ? failure : failure.getCause();
    }
  }

  /** Returns the time from the look that found the dead node until its last job was recovered. */
  synchronized Duration sweep() {
    return Duration.ofNanos(ended - started);
  }
}
