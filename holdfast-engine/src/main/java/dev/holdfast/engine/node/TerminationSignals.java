package dev.holdfast.engine.node;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a program when the process is told to stop, by SIGTERM or SIGINT, instead of ending it.
 *
 * <p>The JDK's signal classes are used by reflection, because their package is not part of the Java
 * API.
 */
public final class TerminationSignals {
  private static final Logger log = LoggerFactory.getLogger(TerminationSignals.class);

  private TerminationSignals() {}

  /**
   * Calls the handler for every such signal from now on. A process has only one handler: this one
   * replaces any other.
   *
   * @return false if a signal cannot be handled, so that a shutdown hook is needed
   */
  public static boolean handle(Runnable handler) {
    boolean all = true;
    for (String signal : List.of("TERM", "INT")) {
      try {
        handle(signal, handler);
      } catch (ReflectiveOperationException | IllegalArgumentException unavailable) {
        log.info(
            "Cannot handle SIG{}; a shutdown hook drains instead: {}",
            signal,
            unavailable.toString());
        all = false;
      }
    }
    return all;
  }

  private static void handle(String name, Runnable own) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object proxy =
        Proxy.newProxyInstance(
            handler.getClassLoader(),
            new Class<?>[] {handler},
            (any, method, arguments) -> {
              if (method.getName().equals("handle")) {
                own.run();
                return null;
              }
              return method.invoke(own, arguments);
            });
    try {
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (InvocationTargetException refused) {
      // The JVM was started with -Xrs, or uses the signal itself.
      throw new ReflectiveOperationException(refused.getCause());
    }
  }
}
