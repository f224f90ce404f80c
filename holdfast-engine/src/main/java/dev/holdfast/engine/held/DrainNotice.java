package dev.holdfast.engine.held;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the attempts of a node that it has started to drain. */
public final class DrainNotice {
  private static final Logger log = LoggerFactory.getLogger(DrainNotice.class);

  private final Map<HeldJob, List<Runnable>> callbacks = new HashMap<>();
  private volatile boolean given;

  /** Returns whether the node is draining. */
  public boolean isGiven() {
    return given;
  }

  /** Notes that the node is draining, and calls what was registered. */
  public void give() {
    List<Runnable> all = new ArrayList<>();
    synchronized (callbacks) {
      given = true;
      callbacks.values().forEach(all::addAll);
      callbacks.clear();
    }
    all.forEach(DrainNotice::call);
  }

  /** Calls this callback when the node starts to drain, unless the attempt has ended by then. */
  public void register(HeldJob attempt, Runnable callback) {
    synchronized (callbacks) {
      if (!given) {
        callbacks.computeIfAbsent(attempt, job -> new ArrayList<>(1)).add(callback);
        return;
      }
    }
    call(callback);
  }

  /** Forgets the callbacks of an attempt that has ended. */
  public void forget(HeldJob attempt) {
    synchronized (callbacks) {
      callbacks.remove(attempt);
    }
  }

  /** Calls a callback in a separate thread, because it may block. */
  private static void call(Runnable callback) {
    Thread.ofVirtual()
        .name("holdfast-on-drain")
        .start(() -> {
          try {
            callback.run();
          } catch (RuntimeException | Error failure) {
            log.warn(
                "An onDrain callback of a handler failed; the node continues to drain", failure);
          }
        });
  }
}
