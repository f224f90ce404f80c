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
import dev.holdfast.server.key.ApiKey;
import dev.holdfast.server.key.Attribute;
import dev.holdfast.server.key.Caller;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.key.KeyText;
import dev.holdfast.server.key.NewKey;
import dev.holdfast.server.tenant.Tenant;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The keys of tenants and of the installation, and what the key of the caller is. */
final class KeyRoutes {
  private static final String KEYS = "/v1/tenants/{tenant}/api-keys";
  private static final String ADMIN_KEYS = "/v1/api-keys";
  private static final Duration OVERLAP = Duration.ofHours(24);
  private static final Duration LONGEST_OVERLAP = Duration.ofDays(90);

  private final Services services;
  private final Paging paging;

  KeyRoutes(Services services) {
    this.services = services;
    this.paging = new Paging(services.cursors());
  }

  List<Route> routes() {
    return List.of(
        Route.get(KEYS, MANAGE_KEYS, this::list),
        Route.creating(KEYS, MANAGE_KEYS, this::create),
        Route.get(KEYS + "/{key}", MANAGE_KEYS, this::read),
        Route.creating(KEYS + "/{key}/rotate", MANAGE_KEYS, this::rotate),
        Route.of(Method.DELETE, KEYS + "/{key}", MANAGE_KEYS, this::revoke),
        Route.get(ADMIN_KEYS, ADMIN, this::list),
        Route.creating(ADMIN_KEYS, ADMIN, this::createOfInstallation),
        Route.get(ADMIN_KEYS + "/{key}", ADMIN, this::read),
        Route.creating(ADMIN_KEYS + "/{key}/rotate", ADMIN, this::rotate),
        Route.of(Method.DELETE, ADMIN_KEYS + "/{key}", ADMIN, this::revoke),
        Route.get("/v1/me", READ, this::me));
  }

  /** Returns the tenant whose keys a call is about; null for those of the installation. */
  private static @Nullable Tenant tenant(Call call) {
    return call.isOfTenant() ? call.tenant().tenant() : null;
  }

  private static @Nullable String owner(Call call) {
    Tenant tenant = tenant(call);
    return tenant == null ? null : tenant.name();
  }

  private Response list(Call call) {
    return paging.page(
        call,
        new Paging.Listed<String, ApiKey>("keys", Function.identity(), ApiKey::id, KeyRoutes::view),
        (after, limit) -> services.keys().list(owner(call), after == null ? "" : after, limit));
  }

  static ObjectNode view(ApiKey key) {
    return JsonText.object()
        .put("id", key.id())
        .put("name", key.name())
        .set("attributes", JsonText.texts(names(key.attributes())))
        .set("tasks", JsonText.texts(key.tasks()))
        .set("workflows", JsonText.texts(key.workflows()))
        .put("createdAt", key.createdAt())
        .put("createdBy", key.createdBy())
        .put("expiresAt", key.expiresAt())
        .put("revokedAt", key.revokedAt())
        .put("replacedBy", key.replacedBy())
        .put("lastUsed", key.lastUsed())
        .done();
  }

  private static List<String> names(Set<Attribute> attributes) {
    return attributes.stream().map(Attribute::text).sorted().toList();
  }

  private static RuntimeException notFound(String id) {
    return Code.KEY_NOT_FOUND.because("Key '%s' does not exist here.", id);
  }

  private Response read(Call call) {
    call.query().done();
    String id = call.path("key");
    return Response.ok(
        services.keys().find(owner(call), id).map(KeyRoutes::view).orElseThrow(() -> notFound(id)));
  }

  private Response create(Call call) {
    Fields body = call.body();
    String name = body.text("name");
    String preset = body.textOr("preset", null);
    List<String> attributes = body.texts("attributes");
    List<String> tasks = body.texts("tasks");
    List<String> workflows = body.texts("workflows");
    var expiresAt = body.instant("expiresAt");
    body.done();
    Set<Attribute> wanted = EnumSet.noneOf(Attribute.class);
    wanted.addAll(preset == null ? Set.of() : Attribute.preset(preset));
    attributes.forEach(attribute -> wanted.add(Attribute.parse(attribute)));
    NewKey key = new NewKey(name, wanted, tasks, workflows, expiresAt);
    requireNoMore(call.caller(), key);
    return issue(call, key, null, null);
  }

  /**
   * A key of the installation can create tenants, and so keys that can do anything: one with fewer
   * attributes would only look limited.
   */
  private Response createOfInstallation(Call call) {
    Fields body = call.body();
    String name = body.text("name");
    var expiresAt = body.instant("expiresAt");
    body.done();
    NewKey all = NewKey.preset(name, "admin");
    return issue(
        call,
        new NewKey(name, all.attributes(), all.tasks(), all.workflows(), expiresAt),
        null,
        null);
  }

  /** No key can create, replace or revoke a key that can do more than itself. */
  private static void requireNoMore(Caller caller, NewKey key) {
    if (!caller.attributes().containsAll(key.attributes())) {
      throw Code.FORBIDDEN.because("A key cannot manage one with attributes that it lacks.");
    }
    requireWithin(caller.tasks(), key.tasks());
    requireWithin(caller.workflows(), key.workflows());
  }

  private static void requireWithin(List<String> own, List<String> wanted) {
    if (!own.isEmpty() && (wanted.isEmpty() || !own.containsAll(wanted))) {
      throw Code.FORBIDDEN.because(
          "The key is limited to %s, and can manage only keys with some of these patterns.", own);
    }
  }

  /**
   * Creates a key, in one transaction with its audit entry and, in a rotation, with the change of
   * the key that it replaces. A repeat finds the key and cannot show its secret again.
   *
   * @param replaced the key that the new one replaces; null for none
   */
  private Response issue(
      Call call, NewKey key, @Nullable String replaced, @Nullable Duration overlap) {
    Tenant tenant = tenant(call);
    String owner = owner(call);
    String id = KeyText.idFrom(call.newId());
    KeyText[] text = new KeyText[1];
    ApiKey stored =
        services
            .control()
            .transaction(
                "create a key",
                statements -> {
                  Optional<ApiKey> known = services.keys().find(statements, owner, id);
                  if (known.isPresent()) {
                    return known.get();
                  }
                  if (replaced != null
                      && !services
                          .keys()
                          .replace(statements, replaced, id, overlap == null ? OVERLAP : overlap)) {
                    throw Code.KEY_STATE.because(
                        "Key '%s' is revoked or was rotated before.", replaced);
                  }
                  text[0] =
                      services
                          .keys()
                          .create(
                              statements,
                              tenant == null
                                  ? null
                                  : new KeyStore.Owner(tenant.id(), tenant.name()),
                              key,
                              id,
                              call.caller().key());
                  ApiKey fresh = services.keys().find(statements, owner, id).orElseThrow();
                  services
                      .audit()
                      .record(
                          statements,
                          call.actor(),
                          new Act(
                              replaced == null ? "key.create" : "key.rotate",
                              replaced == null ? id : replaced,
                              null,
                              view(fresh).toString()));
                  return fresh;
                });
    services.ring().reload();
    ObjectNode again = view(stored).put("code", "SECRET_ALREADY_SHOWN");
    if (text[0] == null) {
      return Response.created(true, again);
    }
    ObjectNode once = view(stored).put("key", text[0].text());
    return new Response.Json(201, once, Map.of(), again);
  }

  private Response rotate(Call call) {
    Fields body = call.optionalBody();
    Duration overlap = body.duration("overlap");
    body.done();
    if (overlap != null && (overlap.isNegative() || overlap.compareTo(LONGEST_OVERLAP) > 0)) {
      throw Code.INVALID_REQUEST.because("The overlap must be from PT0S to P90D.");
    }
    String id = call.path("key");
    ApiKey old = services.keys().find(owner(call), id).orElseThrow(() -> notFound(id));
    requireNoMore(call.caller(), like(old));
    return issue(call, like(old), id, overlap);
  }

  private static NewKey like(ApiKey key) {
    return new NewKey(key.name(), key.attributes(), key.tasks(), key.workflows(), key.expiresAt());
  }

  private Response revoke(Call call) {
    String id = call.path("key");
    services
        .control()
        .transaction(
            "revoke key " + id,
            statements -> {
              ApiKey key =
                  services.keys().find(statements, owner(call), id).orElseThrow(() -> notFound(id));
              requireNoMore(call.caller(), like(key));
              if (!call.isOfTenant() && !services.keys().hasOtherAdminKey(statements, id)) {
                throw Code.KEY_STATE.because(
                    "Key '%s' is the last valid key of the installation: create another one first.",
                    id);
              }
              if (!services.keys().revoke(statements, id)) {
                throw Code.KEY_STATE.because("Key '%s' is already revoked.", key.id());
              }
              ApiKey revoked = services.keys().find(statements, owner(call), id).orElseThrow();
              services
                  .audit()
                  .record(
                      statements,
                      call.actor(),
                      new Act("key.revoke", id, view(key).toString(), view(revoked).toString()));
              return true;
            });
    services.ring().reload();
    return new Response.Nothing();
  }

  private Response me(Call call) {
    call.query().done();
    Caller caller = call.caller();
    return Response.ok(
        JsonText.object()
            .put("key", caller.key())
            .put("name", caller.name())
            .put("tenant", caller.tenant())
            .put("admin", caller.isAdmin())
            .set("attributes", JsonText.texts(names(caller.attributes())))
            .set("tasks", JsonText.texts(caller.tasks()))
            .set("workflows", JsonText.texts(caller.workflows()))
            .done());
  }
}
