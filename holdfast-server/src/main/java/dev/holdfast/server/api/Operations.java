package dev.holdfast.server.api;

import dev.holdfast.api.StoreException;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.ProblemException;
import dev.holdfast.server.http.Response;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Carries out operations on the work of a tenant, and records them in the audit log. */
final class Operations {
  private final @Nullable AuditLog audit;

  /**
   * @param audit null if there is no audit log: on a database without a server
   */
  Operations(@Nullable AuditLog audit) {
    this.audit = audit;
  }

  /**
   * An operation and what it changes.
   *
   * @param action what is done, such as {@code queue.pause}
   * @param target what it is done to; null for nothing in particular
   * @param state reads the state, before and after; null if there is none
   * @param details what the request says about it; null for nothing
   */
  record Change(
      String action,
      @Nullable String target,
      Supplier<@Nullable ObjectNode> state,
      @Nullable ObjectNode details) {

    static Change of(String action, String target, Supplier<@Nullable ObjectNode> state) {
      return new Change(action, target, state, null);
    }

    /** Returns the state after the operation, together with the details of the request. */
    private @Nullable String after() {
      ObjectNode now = state.get();
      if (now == null || details == null) {
        return now != null ? now.toString() : details == null ? null : details.toString();
      }
      return now.setAll(details).toString();
    }
  }

  /** Carries out an operation, and records the state before and after it. */
  Response audited(Call call, Change change, Supplier<Response> operation) {
    ObjectNode before = change.state().get();
    ObjectNode details = change.details();
    AuditLog.Act act =
        new AuditLog.Act(
            change.action(),
            change.target(),
            before == null ? null : before.toString(),
            details == null ? null : details.toString());
    return audited(call, act, operation, change::after);
  }

  /** Carries out an operation between the start and the end of its audit entry. */
  Response audited(Call call, AuditLog.Act act, Supplier<Response> operation) {
    return audited(call, act, operation, () -> null);
  }

  private Response audited(
      Call call, AuditLog.Act act, Supplier<Response> operation, Supplier<@Nullable String> after) {
    if (audit == null) {
      return operation.get();
    }
    long entry = audit.start(call.actor(), act);
    Response response;
    try {
      response = operation.get();
    } catch (ProblemException refused) {
      audit.end(entry, null, refused.problem().code().name());
      throw refused;
    } catch (StoreException failure) {
      // The outcome is unknown: the entry stays STARTED.
      if (failure.outcome() != StoreException.Outcome.UNKNOWN) {
        audit.end(entry, null, "FAILED");
      }
      throw failure;
    } catch (RuntimeException failure) {
      audit.end(entry, null, "FAILED");
      throw failure;
    }
    audit.end(entry, stateAfter(after), AuditLog.DONE);
    return response;
  }

  /** Returns null if the state cannot be read: the operation itself has succeeded. */
  private static @Nullable String stateAfter(Supplier<@Nullable String> after) {
    try {
      return after.get();
    } catch (RuntimeException unreadable) {
      return null;
    }
  }
}
