package dev.holdfast.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains a node when the process is asked to stop, by SIGTERM as orchestrators do or by SIGINT; a
 * second signal stops at once. A shutdown hook could do the first, but hears nothing of the second.
 *
 * <p>The JDK's signals are reached by name, since their package is not part of the language's API:
 * where they are missing, a shutdown hook drains the node.
 */
final class StopSignals {
  private static final Logger log = LoggerFactory.getLogger(StopSignals.class);
  private static final int STOPPED_BY_SIGNAL = 143;

  private final HoldfastNode node;
  private final AtomicBoolean asked = new AtomicBoolean();

  StopSignals(HoldfastNode node) {
    this.node = node;
  }

  void heed() {
    for (String signal : List.of("TERM", "INT")) {
      try {
        handle(signal);
      } catch (ReflectiveOperationException | IllegalArgumentException unavailable) {
        log.info("SIG{} is left to the JVM: {}", signal, unavailable.toString());
        Runtime.getRuntime().addShutdownHook(new Thread(node::close, "holdfast-shutdown"));
        return;
      }
    }
  }

  private void handle(String name) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object own =
        Proxy.newProxyInstance(
            handler.getClassLoader(),
            new Class<?>[] {handler},
            (proxy, method, arguments) -> {
              if (method.getName().equals("handle")) {
                onSignal();
                return null;
              }
              return method.invoke(this, arguments);
            });
    try {
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), own);
    } catch (InvocationTargetException refused) {
      // A JVM that was told to leave signals alone.
      throw new ReflectiveOperationException(refused.getCause());
    }
  }

  private void onSignal() {
    if (asked.compareAndSet(false, true)) {
      Thread.ofPlatform().name("holdfast-drain").start(this::drain);
    } else {
      log.warn("Node {} stops at once: it was asked a second time", node.id());
      Runtime.getRuntime().halt(STOPPED_BY_SIGNAL);
    }
  }

  private void drain() {
    node.close();
    // Runs the program's own shutdown hooks, as the signal would have.
    System.exit(STOPPED_BY_SIGNAL);
  }
}
