package org.springframework.transaction.support;

/** A stand-in for Spring's class of this name, with the methods that the store calls. */
public abstract class TransactionSynchronizationManager {
  private static final ThreadLocal<Boolean> ACTIVE = ThreadLocal.withInitial(() -> false);

  public static boolean isActualTransactionActive() {
    return ACTIVE.get();
  }

  public static void setActualTransactionActive(boolean active) {
    ACTIVE.set(active);
  }
}
