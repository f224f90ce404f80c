package dev.holdfast.server.http;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.key.Attribute;
import dev.holdfast.server.key.Caller;
import dev.holdfast.server.tenant.OpenTenant;
import java.io.InputStream;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A request that has passed authentication, tenancy, permission and limits. */
public final class Call {
  private final Route route;
  private final Map<String, String> parameters;
  private final RawRequest raw;
  private final String id;
  private final Query query;
  private final @Nullable Caller caller;
  private final @Nullable OpenTenant tenant;
  private final byte[] body;
  private @Nullable UUID seed;
  private @Nullable JsonNode parsed;

  Call(Router.Match match, RawRequest raw, String id, Pipeline.Admitted admitted, byte[] body) {
    this.route = match.route();
    this.parameters = match.parameters();
    this.raw = raw;
    this.id = id;
    this.query = Query.parse(raw.query());
    this.caller = admitted.caller();
    this.tenant = admitted.tenant();
    this.body = body;
  }

  /** Returns the route. */
  Route route() {
    return route;
  }

  /** Returns the method, the path and the query as sent. */
  String fullPath() {
    return raw.method() + " " + raw.path() + "?" + raw.query();
  }

  /** Returns which list this is, with its filter, for cursors. */
  public String scope() {
    return route.method() + " " + raw.path() + " " + query.selection();
  }

  byte[] bytes() {
    return body;
  }

  /** Returns a parameter of the path. */
  public String path(String name) {
    String value = parameters.get(name);
    if (value == null) {
      throw new IllegalArgumentException("Route %s has no parameter %s".formatted(route, name));
    }
    return value;
  }

  /** Returns a parameter of the path that is a UUID; a problem of the given kind if it is not. */
  public UUID uuid(String name, Code notFound) {
    String text = path(name);
    try {
      UUID value = UUID.fromString(text);
      // UUID.fromString also accepts shortened forms, which name nothing.
      if (value.toString().equalsIgnoreCase(text)) {
        return value;
      }
    } catch (IllegalArgumentException notAnId) {
      // No id at all, so nothing has it.
    }
    throw notFound.because("'%s' is not an id: give a UUID.", shortened(text));
  }

  private static String shortened(String text) {
    return text.length() <= 64 ? text : text.substring(0, 64) + "...";
  }

  /** Returns the query. */
  public Query query() {
    return query;
  }

  /** Returns a header; null if it was not sent. */
  public @Nullable String header(String name) {
    return raw.header(name);
  }

  /** Returns the body as it arrives; only routes that upload have one. */
  public InputStream upload() {
    return raw.body();
  }

  /**
   * Returns the fields of the body, which must be a JSON object.
   *
   * @throws ProblemException if it is not
   */
  public Fields body() {
    return Fields.of(json());
  }

  /** Returns the fields of the body; none if there is no body. */
  public Fields optionalBody() {
    return body.length == 0 ? Fields.of(JsonText.object().done()) : body();
  }

  /**
   * Returns how many elements a list in the body has; 1 if there is no such list, which the handler
   * refuses.
   *
   * @throws ProblemException if the body is not JSON
   */
  int elements(String name) {
    JsonNode list = json().path(name);
    return list.isArray() ? Math.max(1, list.size()) : 1;
  }

  /**
   * Returns how many of the jobs in the body start runs.
   *
   * @param name the list of jobs; without it, the body is a job
   * @throws ProblemException if the body is not JSON
   */
  int starters(String name) {
    JsonNode list = json().path(name);
    Stream<JsonNode> jobs = list.isArray() ? list.valueStream() : Stream.of(json());
    return (int) jobs.filter(job -> StarterTask.is(job.path("task").asString(""))).count();
  }

  private JsonNode json() {
    JsonNode known = parsed;
    if (known == null) {
      known = parse();
      parsed = known;
    }
    return known;
  }

  private JsonNode parse() {
    String type = raw.header("Content-Type");
    if (type != null
        && !type.strip().toLowerCase(java.util.Locale.ROOT).startsWith("application/json")) {
      throw Code.UNSUPPORTED_MEDIA_TYPE.because("Send the body as application/json.");
    }
    return JsonText.parse(body);
  }

  /** Returns the caller; only routes that are not public have one. */
  public Caller caller() {
    if (caller == null) {
      throw new IllegalStateException("Route %s is public".formatted(route));
    }
    return caller;
  }

  /** Returns the tenant; only routes of a tenant have one. */
  public OpenTenant tenant() {
    if (tenant == null) {
      throw new IllegalStateException("Route %s belongs to no tenant".formatted(route));
    }
    return tenant;
  }

  /** Returns whether the route is one of a tenant. */
  public boolean isOfTenant() {
    return tenant != null;
  }

  /** Returns whether the caller may see payloads. */
  public boolean readsPayloads() {
    return caller().has(Attribute.CAN_READ_PAYLOADS);
  }

  /**
   * Returns the id for what this call creates. A repeat with the same idempotency key gets the same
   * one, so it creates nothing new, even if the first one was interrupted.
   */
  public UUID newId() {
    return seed != null ? seed : UuidCreator.getTimeOrderedEpochPlus1();
  }

  /** Returns whether the request has an idempotency key. */
  public boolean isRepeatable() {
    return seed != null;
  }

  void seed(UUID value) {
    this.seed = value;
  }

  /** Returns who acts, for the audit log. */
  public Actor actor() {
    return new Actor(
        tenant == null ? null : tenant.tenant().name(),
        caller == null ? null : caller.key(),
        caller == null ? null : caller.name(),
        raw.address(),
        id);
  }

  /** Returns the id of the request. */
  public String requestId() {
    return id;
  }
}
