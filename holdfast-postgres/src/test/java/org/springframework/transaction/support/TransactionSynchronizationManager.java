package org.springframework.transaction.support;

/** Stands in for Spring's class of this name: as much of it as the store asks. */
public abstract class TransactionSynchronizationManager {
  private static final ThreadLocal<Boolean> ACTIVE = ThreadLocal.withInitial(() -> false);

  public static boolean isActualTransactionActive() {
    return ACTIVE.get();
  }

  public static void setActualTransactionActive(boolean active) {
    ACTIVE.set(active);
  }
}
