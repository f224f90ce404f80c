package dev.holdfast.server.api;

import dev.holdfast.api.StoreException;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.ProblemException;
import dev.holdfast.server.http.Response;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Carries out operations on the work of a tenant, and records them in the audit log. */
final class Operations {
  private final @Nullable AuditLog audit;

  /**
   * @param audit null if there is no audit log: on a database without a server
   */
  Operations(@Nullable AuditLog audit) {
    this.audit = audit;
  }

  /** Carries out an operation between the start and the end of its audit entry. */
  Response audited(Call call, AuditLog.Act act, Supplier<Response> operation) {
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
      // After an unknown outcome the entry stays STARTED, which says just that.
      if (failure.outcome() != StoreException.Outcome.UNKNOWN) {
        audit.end(entry, null, "FAILED");
      }
      throw failure;
    } catch (RuntimeException failure) {
      audit.end(entry, null, "FAILED");
      throw failure;
    }
    audit.end(entry, null, AuditLog.DONE);
    return response;
  }
}
