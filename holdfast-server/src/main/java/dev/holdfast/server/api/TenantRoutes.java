package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.ADMIN;
import static dev.holdfast.server.http.Permission.MANAGE_KEYS;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.Fields;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Method;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantPackages;
import dev.holdfast.server.tenant.TenantQuotas;
import dev.holdfast.server.tenant.TenantSettings;
import dev.holdfast.server.tenant.TenantState;
import dev.holdfast.server.tenant.Tenants;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Tenants, their settings and the audit log. */
final class TenantRoutes {
  private static final String TENANTS = "/v1/tenants";
  private static final String TENANT = "/v1/tenants/{tenant}";

  private final Services services;
  private final Paging paging;

  TenantRoutes(Services services) {
    this.services = services;
    this.paging = new Paging(services.cursors());
  }

  List<Route> routes() {
    return List.of(
        Route.get(TENANTS, ADMIN, this::list),
        Route.creating(TENANTS, ADMIN, this::create),
        Route.get(TENANT, ADMIN, this::read),
        Route.of(Method.DELETE, TENANT, ADMIN, this::delete),
        Route.post(TENANT + "/suspend", ADMIN, this::suspend),
        Route.post(TENANT + "/resume", ADMIN, this::resume),
        Route.post(TENANT + "/restore", ADMIN, this::restore),
        Route.get(TENANT + "/settings", READ, this::settings),
        Route.of(Method.PATCH, TENANT + "/settings", MANAGE_KEYS, this::configure));
  }

  private Tenants tenants() {
    return services.tenants();
  }

  private Response list(Call call) {
    return paging.page(
        call,
        new Paging.Listed<String, Tenant>(
            "tenants", Function.identity(), Tenant::name, TenantRoutes::view),
        tenants()::list);
  }

  private static ObjectNode view(Tenant tenant) {
    return JsonText.object()
        .put("name", tenant.name())
        .putText("state", tenant.state())
        .put("createdAt", tenant.createdAt())
        .put("purgeAt", tenant.purgeAt())
        .set("settings", view(tenant.settings()))
        .done();
  }

  private static ObjectNode view(TenantSettings settings) {
    return JsonText.object()
        .put("keepHistory", settings.keepHistory())
        .put("keepDeadLetters", settings.keepDeadLetters())
        .put("requestsPerSecond", settings.requestsPerSecond())
        .put("weight", settings.weight())
        .put("maxHeld", settings.maxHeld())
        .set("quotas", view(settings.quotas()))
        .set("packages", view(settings.packages()))
        .done();
  }

  private static ObjectNode view(TenantPackages packages) {
    JsonText.Obj trusted = JsonText.object();
    packages.trustedKeys().forEach(trusted::put);
    return JsonText.object()
        .put("requireSignature", packages.requireSignature())
        .set("trustedKeys", trusted.done())
        .done();
  }

  private static ObjectNode view(TenantQuotas quotas) {
    return JsonText.object()
        .put("queuedJobs", quotas.queuedJobs())
        .put("openRuns", quotas.openRuns())
        .put("payloadBytes", quotas.payloadBytes())
        .put("schedules", quotas.schedules())
        .done();
  }

  private Response create(Call call) {
    Fields body = call.body();
    String name = body.text("name");
    Fields given = body.object("settings");
    TenantSettings settings =
        given == null ? TenantSettings.DEFAULT : changed(given, TenantSettings.DEFAULT);
    body.done();
    Tenants.Created created = tenants().create(name, settings, call.actor().in(null));
    services.ring().reload();
    ObjectNode view = view(created.tenant());
    ObjectNode again = view(created.tenant()).put("code", "SECRET_ALREADY_SHOWN");
    return new Response.Json(201, view.put("key", created.key()), Map.of(), again);
  }

  private Response read(Call call) {
    call.query().done();
    String name = call.path("tenant");
    return Response.ok(
        tenants()
            .find(name)
            .map(TenantRoutes::view)
            .orElseThrow(() -> Code.TENANT_NOT_FOUND.because("Tenant '%s' does not exist.", name)));
  }

  private Response delete(Call call) {
    boolean force = call.query().truth("force");
    call.query().done();
    Response response =
        Response.ok(view(tenants().delete(call.path("tenant"), force, call.actor().in(null))));
    services.ring().reload();
    return response;
  }

  private Response suspend(Call call) {
    call.optionalBody().done();
    return Response.ok(
        view(tenants().setState(call.path("tenant"), TenantState.SUSPENDED, call.actor())));
  }

  private Response resume(Call call) {
    call.optionalBody().done();
    return Response.ok(
        view(tenants().setState(call.path("tenant"), TenantState.ACTIVE, call.actor())));
  }

  private Response restore(Call call) {
    call.optionalBody().done();
    Response response =
        Response.ok(view(tenants().restore(call.path("tenant"), call.actor().in(null))));
    services.ring().reload();
    return response;
  }

  private Response settings(Call call) {
    call.query().done();
    return Response.ok(view(call.tenant().tenant().settings()));
  }

  private static TenantSettings changed(Fields fields, TenantSettings from) {
    Duration history = fields.duration("keepHistory");
    Duration dead = fields.duration("keepDeadLetters");
    Integer weight = fields.integer("weight");
    Integer rate = changed(fields, "requestsPerSecond", from.requestsPerSecond());
    Integer most = changed(fields, "maxHeld", from.maxHeld());
    Fields quotas = fields.object("quotas");
    Fields packages = fields.object("packages");
    fields.noOthers();
    return new TenantSettings(
        history == null ? from.keepHistory() : history,
        dead == null ? from.keepDeadLetters() : dead,
        rate,
        weight == null ? from.weight() : weight,
        most,
        quotas == null ? from.quotas() : changed(quotas, from.quotas()),
        packages == null ? from.packages() : changed(packages, from.packages()));
  }

  private static TenantPackages changed(Fields fields, TenantPackages from) {
    boolean required =
        fields.has("requireSignature") ? fields.truth("requireSignature") : from.requireSignature();
    Map<String, String> trusted = new HashMap<>(from.trustedKeys());
    if (fields.has("trustedKeys")) {
      trusted.clear();
      fields
          .map("trustedKeys")
          .forEach((name, key) -> trusted.put(name, key.isString() ? key.stringValue() : ""));
    }
    fields.noOthers();
    return new TenantPackages(required, trusted);
  }

  private static TenantQuotas changed(Fields fields, TenantQuotas from) {
    TenantQuotas changed =
        new TenantQuotas(
            changed(fields, "queuedJobs", from.queuedJobs()),
            changed(fields, "openRuns", from.openRuns()),
            changed(fields, "payloadBytes", from.payloadBytes()),
            changed(fields, "schedules", from.schedules()));
    fields.noOthers();
    return changed;
  }

  /** A field that is sent as null is set to null; one that is not sent stays as it is. */
  private static @Nullable Integer changed(Fields fields, String name, @Nullable Integer from) {
    return fields.has(name) ? fields.integer(name) : from;
  }

  private Response configure(Call call) {
    Patterns.requireAll(call);
    Fields body = call.body();
    Tenant tenant = call.tenant().tenant();
    boolean shares =
        Stream.of("requestsPerSecond", "weight", "maxHeld", "quotas").anyMatch(body::has);
    TenantSettings settings = changed(body, tenant.settings());
    body.done();
    if (shares && call.caller().tenant() != null) {
      throw Code.FORBIDDEN.because(
          "requestsPerSecond, weight, maxHeld and quotas are shares of the installation: they need"
              + " a key of the installation.");
    }
    return Response.ok(view(tenants().configure(tenant.name(), settings, call.actor()).settings()));
  }
}
