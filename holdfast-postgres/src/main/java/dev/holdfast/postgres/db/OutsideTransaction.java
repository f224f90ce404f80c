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
 * thread. The job of that call exists even if the transaction is rolled back, and may run before
 * the transaction commits. Callers that share their pool with Holdfast often expect the opposite.
 *
 * <p>Detects the transactions of Spring, with any transaction manager. Spring is not a dependency.
 */
public final class OutsideTransaction {
  private static final Logger log = LoggerFactory.getLogger(OutsideTransaction.class);
  private static final String SPRING =
      "org.springframework.transaction.support.TransactionSynchronizationManager";

  /** Never warns. For a store with its own connections. */
  public static final OutsideTransaction UNCHECKED = new OutsideTransaction(null);

  private final @Nullable MethodHandle isActive;
  private final AtomicBoolean warned = new AtomicBoolean();

  private OutsideTransaction(@Nullable MethodHandle isActive) {
    this.isActive = isActive;
  }

  /** Returns a check for the framework that is on the class path, if any. */
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
        log.debug("Spring transactions are not detected: {} does not have Spring", loader, absent);
      }
    }
    return UNCHECKED;
  }

  /**
   * Warns if the calling thread is in a transaction.
   *
   * @param call the client method that was called
   */
  public void check(String call) {
    if (isActive != null && !warned.get() && isActive() && !warned.getAndSet(true)) {
      log.warn(
          "holdfast.{} was called inside a transaction of this thread but is not part of it: its"
              + " jobs stay even if the transaction is rolled back, and may run before it"
              + " commits. To make it part of the transaction, call holdfast.in(connection).{}"
              + " with the connection of the transaction (in Spring,"
              + " DataSourceUtils.getConnection). This warning is logged once.",
          call,
          call,
          new Throwable("The call"));
    }
  }

  private boolean isActive() {
    try {
      return isActive != null && (boolean) isActive.invokeExact();
    } catch (Throwable failure) {
      log.debug("Could not ask Spring whether a transaction is active", failure);
      return false;
    }
  }
}
