package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.ADMIN;
import static dev.holdfast.server.http.Permission.MANAGE_KEYS;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.server.audit.AuditLog.Act;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.secret.SecretInfo;
import dev.holdfast.server.secret.TenantSecrets;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** The secrets of tenants. No route returns a value. */
public final class SecretRoutes {
  private static final String SECRETS = "/v1/tenants/{tenant}/secrets";

  private final TenantSecrets secrets;
  private final Paging paging;
  private final Operations operations;

  public SecretRoutes(Services services, TenantSecrets secrets) {
    this.secrets = secrets;
    this.paging = new Paging(services.cursors());
    this.operations = new Operations(services.audit());
  }

  /** Returns the routes. */
  public List<Route> routes() {
    return List.of(
        Route.get(SECRETS, READ, this::list),
        Route.of(Method.PUT, SECRETS + "/{secret}", MANAGE_KEYS, this::put),
        Route.of(Method.DELETE, SECRETS + "/{secret}", MANAGE_KEYS, this::delete),
        Route.post("/v1/secrets/rotate", ADMIN, this::rotate));
  }

  private Response list(Call call) {
    return paging.page(
        call,
        new Paging.Listed<String, SecretInfo>(
            "secrets", Function.identity(), SecretInfo::name, SecretRoutes::view),
        (after, limit) -> secrets.list(call.tenant().tenant(), after, limit));
  }

  private static ObjectNode view(SecretInfo secret) {
    return JsonText.object()
        .put("name", secret.name())
        .put("version", secret.version())
        .put("keyId", secret.keyId())
        .put("createdAt", secret.createdAt())
        .put("updatedAt", secret.updatedAt())
        .done();
  }

  private void requireKey() {
    if (!secrets.isConfigured()) {
      throw Code.SECRETS_NOT_CONFIGURED.because(
          "Configure secrets.key or secrets.keyFile of all servers.");
    }
  }

  private Response put(Call call) {
    String name = TenantSecrets.name(call.path("secret"));
    Fields body = call.body();
    String value = body.text("value");
    body.done();
    TenantSecrets.value(value);
    Patterns.requireAll(call);
    requireKey();
    return Response.ok(
        secrets
            .put(call.tenant().tenant(), name, value, call.actor())
            .map(SecretRoutes::view)
            .orElseThrow(() ->
                Code.TOO_MANY_SECRETS.because(
                    "The tenant has %d secrets, and may have no more: delete one first.",
                    TenantSecrets.most())));
  }

  private Response delete(Call call) {
    String name = TenantSecrets.name(call.path("secret"));
    Patterns.requireAll(call);
    if (!secrets.delete(call.tenant().tenant(), name, call.actor())) {
      throw Code.SECRET_NOT_FOUND.because("Secret '%s' does not exist.", name);
    }
    return Response.ok(JsonText.object().put("name", name).done());
  }

  private Response rotate(Call call) {
    call.optionalBody().done();
    requireKey();
    return operations.audited(
        call,
        Act.of("secret.rotate", null),
        () -> {
          TenantSecrets.Rotated done = secrets.rotate();
          return Response.ok(
              JsonText.object()
                  .put("keyId", done.keyId())
                  .put("rotated", done.rotated())
                  .put("remaining", done.remaining())
                  .set("damaged", JsonText.texts(done.damaged()))
                  .done());
        });
  }
}
