package dev.holdfast.postgres.db;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns, once, when a call runs outside the transaction that a framework has open for the calling
 * thread: its job exists although that transaction may be rolled back, and may run before it has
 * committed. Callers who share their pool with Holdfast often expect the opposite.
 *
 * <p>Knows Spring's transactions, whatever manages them; Spring is no dependency.
 */
public final class OutsideTransaction {
  private static final Logger log = LoggerFactory.getLogger(OutsideTransaction.class);
  private static final String SPRING =
      "org.springframework.transaction.support.TransactionSynchronizationManager";

  /** Never warns: for a store with connections of its own. */
  public static final OutsideTransaction UNCHECKED = new OutsideTransaction(null);

  private final @Nullable MethodHandle isActive;
  private final AtomicBoolean warned = new AtomicBoolean();

  private OutsideTransaction(@Nullable MethodHandle isActive) {
    this.isActive = isActive;
  }

  /** Use the framework that is on the class path, if any. */
  public static OutsideTransaction detect() {
    for (ClassLoader loader :
        new @Nullable ClassLoader[] {
          Thread.currentThread().getContextClassLoader(), OutsideTransaction.class.getClassLoader()
        }) {
      try {
        Class<?> manager = Class.forName(SPRING, true, loader);
        return new OutsideTransaction(
            MethodHandles.publicLookup()
                .findStatic(
                    manager, "isActualTransactionActive", MethodType.methodType(boolean.class)));
      } catch (ReflectiveOperationException | LinkageError absent) {
        log.debug("No transactions of Spring are looked for in {}", loader, absent);
      }
    }
    return UNCHECKED;
  }

  /**
   * Warn if the calling thread is in a transaction.
   *
   * @param call the method of the client that was called
   */
  public void check(String call) {
    if (isActive != null && !warned.get() && isActive() && !warned.getAndSet(true)) {
      log.warn(
          "holdfast.{} was called inside a transaction of this thread and is not part of it: its"
              + " jobs stay although the transaction may be rolled back, and may run before it has"
              + " committed. To make it part of the transaction, call holdfast.in(connection).{}"
              + " with the connection of the transaction (in Spring,"
              + " DataSourceUtils.getConnection). This is said once.",
          call,
          call,
          new Throwable("The call"));
    }
  }

  private boolean isActive() {
    try {
      return isActive != null && (boolean) isActive.invokeExact();
    } catch (Throwable failure) {
      log.debug("Spring could not say whether a transaction is active", failure);
      return false;
    }
  }
}
