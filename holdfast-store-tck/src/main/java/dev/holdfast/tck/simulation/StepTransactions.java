package dev.holdfast.tck.simulation;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Objects;
import java.util.UUID;

/**
 * Durable steps in a transaction, which the store in memory does not have. The body is executed
 * while others run; its effect and its journal entry come together, if the claim is valid then.
 */
final class StepTransactions {
  /** The body of a simulated step needs no connection. */
  private static final Connection CONNECTION =
      (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
              });

  private final InvariantChecker checker;

  StepTransactions(InvariantChecker checker) {
    this.checker = checker;
  }

  /** Executes a step, commits it, and returns whether the claim was valid. */
  boolean execute(Interposed.Call call, Runnable beforeCommit) throws Exception {
    Journals journals = (Journals) call.role();
    UUID incarnation = (UUID) required(call, 0);
    ClaimId claim = (ClaimId) required(call, 1);
    EntryKey key = (EntryKey) required(call, 2);
    String output = ((Journals.Body) required(call, 3)).run(CONNECTION);
    beforeCommit.run();
    if (!journals.append(
        incarnation, claim, new JournalEntry(key, EntryKind.TRANSACTION, output))) {
      return false;
    }
    checker.executes(claim.id(), claim.token(), key.name());
    checker.journalled(claim, key);
    return true;
  }

  private static Object required(Interposed.Call call, int argument) {
    return Objects.requireNonNull(call.arguments().get(argument));
  }
}
