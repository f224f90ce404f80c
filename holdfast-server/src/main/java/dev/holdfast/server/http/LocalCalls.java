package dev.holdfast.server.http;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.StoreException;
import dev.holdfast.server.key.Attribute;
import dev.holdfast.server.key.Caller;
import dev.holdfast.server.tenant.OpenTenant;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.List;

/**
 * Calls handlers for a caller who has the database itself, so there is nothing to authenticate or
 * to limit. Requests and responses are those of the server.
 */
public final class LocalCalls {
  private static final Caller OWNER =
      new Caller("local", "local", null, EnumSet.allOf(Attribute.class), List.of(), List.of());
  private final Router router;
  private final OpenTenant tenant;

  public LocalCalls(Router router, OpenTenant tenant) {
    this.router = router;
    this.tenant = tenant;
  }

  /**
   * Handles a request. Problems are responses; failures that no problem describes are thrown, since
   * the caller has no log of a server to look into.
   */
  public RawResponse handle(RawRequest request) {
    String id = UuidCreator.getTimeOrderedEpochPlus1().toString();
    Response response;
    try {
      Router.Match match = router.match(request.method(), request.path());
      response = match.route().handler().handle(call(match, request, id));
    } catch (RuntimeException failure) {
      if (failure instanceof StoreException && !(failure instanceof KeyLockedException)) {
        throw failure;
      }
      Response.Problem problem = Failures.problem(failure, id, request.path());
      if (problem.code() == Code.INTERNAL_ERROR) {
        throw failure;
      }
      response = problem;
    }
    return Pipeline.write(request, id, response);
  }

  private Call call(Router.Match match, RawRequest request, String id) {
    OpenTenant of = match.route().isOfTenant() ? tenant : null;
    try (InputStream body = request.body()) {
      return new Call(match, request, id, new Pipeline.Admitted(OWNER, of), body.readAllBytes());
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
