package dev.holdfast.engine.meter;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A meter of a registry that users provide. An exception thrown by that registry costs a value and
 * one log line for each meter, and nothing else: nodes count between two writes to the database,
 * where an exception would leave a claimed job that no node knows of.
 */
final class Guarded<M> {
  private static final Logger log = LoggerFactory.getLogger(Guarded.class);

  private final String name;
  private final @Nullable M meter;
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * Registers a meter.
   *
   * @param register registers the meter; if that fails, nothing is ever written to it
   */
  Guarded(String name, Supplier<M> register) {
    this.name = name;
    this.meter = registered(register);
  }

  private @Nullable M registered(Supplier<M> register) {
    try {
      return register.get();
    } catch (
        Throwable broken) { // Checked exceptions too: other JVM languages throw them undeclared.
      warn(broken);
      return null;
    }
  }

  /** Writes to the meter. */
  void use(Consumer<? super M> write) {
    M known = meter;
    if (known == null) {
      return;
    }
    try {
      write.accept(known);
    } catch (Throwable broken) {
      warn(broken);
    }
  }

  private void warn(Throwable broken) {
    if (warned.compareAndSet(false, true)) {
      log.warn(
          "Meter {} failed. Jobs are not affected; its values are wrong, and later failures are not"
              + " logged",
          name,
          broken);
    }
  }
}
