package dev.holdfast.server.http;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.Refusals;
import dev.holdfast.server.key.Caller;
import dev.holdfast.server.key.Keys;
import dev.holdfast.server.log.ServerLog;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantState;
import dev.holdfast.server.tenant.Tenants;
import dev.holdfast.server.trace.RequestSpans;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import tools.jackson.databind.node.ArrayNode;

/**
 * Handles requests: finds the route, identifies the caller, finds the tenant, checks the permission
 * and the limits, reads the body, and calls the handler. Each of these decisions is made here and
 * nowhere else.
 */
public final class Pipeline {
  private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final String BEARER = "Bearer ";
  private static final byte[] NO_BODY = new byte[0];
  private static final int PIECE = 16 * 1024;
  private static final Duration MIGRATING = Duration.ofSeconds(2);

  /** Another server can be asked at once; this one needs some time to start again. */
  private static final Duration WHEN_STOPPED = Duration.ofSeconds(2);

  private final Router router;
  private final Keys keys;
  private final Tenants tenants;
  private final Idempotency idempotency;
  private final Settings settings;
  private final RateLimiter rates = new RateLimiter(System::nanoTime);
  private final OpenStreams streams = new OpenStreams();
  private volatile boolean stopping;

  /**
   * The limits of a server.
   *
   * @param basePath what all paths start with; empty for nothing
   * @param bodyLimit the largest body, in bytes
   * @param requestsPerSecond how many requests a second each key may make; 0 for no limit
   * @param bodyTimeout how long a body may take to arrive
   * @param proxies whose word counts for where a request came from
   * @param refusals notified of requests that the key may not make
   * @param shares what tenants and servers share
   * @param observer notified of each request
   * @param spans traces each request
   */
  public record Settings(
      String basePath,
      int bodyLimit,
      int requestsPerSecond,
      Duration bodyTimeout,
      TrustedProxies proxies,
      Refusals refusals,
      Shares shares,
      Observer observer,
      RequestSpans spans) {}

  /** What limits count: the quotas of tenants, and the servers among which rates are divided. */
  public record Shares(Quotas quotas, LiveServers servers) {}

  /** Is notified of requests, for metrics. */
  @FunctionalInterface
  public interface Observer {
    /**
     * Called after each request.
     *
     * @param route the route, without the values of its parameters; "none" if there was none
     * @param tenant the tenant that an accepted request was for; null for none
     */
    void handled(String route, @Nullable String tenant, int status, Duration took);
  }

  /** What a request may act as and in. */
  record Admitted(@Nullable Caller caller, @Nullable OpenTenant tenant) {}

  public Pipeline(
      Router router, Keys keys, Tenants tenants, Idempotency idempotency, Settings settings) {
    this.router = router;
    this.keys = keys;
    this.tenants = tenants;
    this.idempotency = idempotency;
    this.settings = settings;
  }

  /** Refuses all further requests but health checks, because the server stops. */
  public void stop() {
    stopping = true;
  }

  /** Handles a request. Never throws. */
  public RawResponse handle(RawRequest received) {
    long started = System.nanoTime();
    RawRequest request = settings.proxies().resolve(received);
    String id = requestId(request);
    String route = "none";
    String tenant = null;
    RawResponse response;
    MDC.put(ServerLog.REQUEST, id);
    try {
      Router.Match match = router.match(request.method(), stripped(request.path()));
      route = match.route().toString();
      tenant = match.route().isOfTenant() ? match.parameters().get("tenant") : null;
      RequestSpans spans =
          match.route().permission() == Permission.PUBLIC ? RequestSpans.NONE : settings.spans();
      response =
          spans.around(
              new RequestSpans.Seen(route, tenant, id, request.headers()),
              RawResponse::status,
              () -> answer(match, request, id));
    } catch (RuntimeException | Error failure) {
      response = write(request, id, Failures.problem(failure, id, route));
    } finally {
      MDC.remove(ServerLog.REQUEST);
    }
    if (request.secure()) {
      response.headers().put("Strict-Transport-Security", "max-age=31536000");
    }
    settings
        .observer()
        .handled(
            route,
            response.status() < 400 ? tenant : null,
            response.status(),
            Duration.ofNanos(System.nanoTime() - started));
    return response;
  }

  private RawResponse answer(Router.Match match, RawRequest request, String id) {
    try {
      return write(request, id, respond(match, request, id));
    } catch (RuntimeException | Error failure) {
      return write(request, id, Failures.problem(failure, id, match.route().toString()));
    }
  }

  /** Returns a problem outside of any route, for what the web server itself refuses. */
  public static RawResponse refused(Code code, String detail) {
    return problem(
        UuidCreator.getTimeOrderedEpochPlus1().toString(), Response.Problem.of(code, detail));
  }

  private static String requestId(RawRequest request) {
    String given = request.header("X-Request-Id");
    return given != null && REQUEST_ID.matcher(given).matches()
        ? given
        : UuidCreator.getTimeOrderedEpochPlus1().toString();
  }

  private String stripped(String path) {
    String base = settings.basePath();
    if (base.isEmpty()) {
      return path;
    }
    return path.equals(base)
        ? "/"
        : path.startsWith(base + "/") ? path.substring(base.length()) : "";
  }

  private Response respond(Router.Match match, RawRequest request, String id) {
    Route route = match.route();
    if (stopping && route.permission() != Permission.PUBLIC) {
      throw new ProblemException(
          Response.Problem.of(
                  Code.STOPPING, "The server is stopping: try again, on another server if any.")
              .retryAfter(WHEN_STOPPED));
    }
    Admitted admitted = admit(match, request, id);
    byte[] body = route.method() == Method.GET || route.uploads() ? NO_BODY : read(request);
    RawRequest read =
        route.uploads()
            ? request.with(new SteadyBody(request.body(), settings.bodyTimeout()))
            : request;
    Call call = new Call(match, read, id, admitted, body);
    try {
      Response response = route.creates() ? idempotency.once(call, this::carryOut) : carryOut(call);
      return response instanceof Response.Stream stream
          ? streams.guard(stream, () -> isStillAdmitted(admitted))
          : response;
    } catch (ProblemException refused) {
      if (refused.problem().code() == Code.FORBIDDEN) {
        settings.refusals().note(call.actor(), route.toString());
      }
      throw refused;
    }
  }

  /** Quotas come after idempotency: a repeat adds nothing, so it needs no room. */
  private Response carryOut(Call call) {
    settings.shares().quotas().check(call);
    Handler handler = call.route().handler();
    return !call.isOfTenant()
            || call.route().method() == Method.GET
            || call.route().permission() == Permission.WORK
        ? handler.handle(call)
        : call.tenant().change(() -> handler.handle(call));
  }

  /** Authentication, tenancy, permission and rate, in this order. */
  private Admitted admit(Router.Match match, RawRequest request, String id) {
    Route route = match.route();
    Permission permission = route.permission();
    if (permission == null) {
      throw new IllegalStateException("The router accepts no route without a permission");
    }
    if (permission == Permission.PUBLIC) {
      return new Admitted(null, null);
    }
    String name = route.isOfTenant() ? match.parameters().get("tenant") : null;
    Caller caller = authenticate(request, name);
    OpenTenant tenant = name == null ? null : tenant(name);
    String missing = permission.missing(caller);
    if (missing != null) {
      settings
          .refusals()
          .note(
              new Actor(
                  name == null ? caller.tenant() : name,
                  caller.key(),
                  caller.name(),
                  request.address(),
                  id),
              route.toString());
      throw Code.FORBIDDEN.because("This needs %s.", missing);
    }
    if (tenant != null
        && tenant.tenant().state() == TenantState.SUSPENDED
        && permission == Permission.EXECUTE) {
      throw Code.TENANT_SUSPENDED.because(
          "Tenant '%s' accepts no work until it is resumed.", tenant.tenant().name());
    }
    limitRate(caller, tenant);
    return new Admitted(caller, tenant);
  }

  /** A stream ends when its key is revoked or expires, and when its tenant is deleted. */
  private boolean isStillAdmitted(Admitted admitted) {
    Caller caller = admitted.caller();
    OpenTenant tenant = admitted.tenant();
    String name = tenant == null ? null : tenant.tenant().name();
    if (caller == null || !keys.isValid(caller.key(), name)) {
      return false;
    }
    return tenant == null || isOpen(tenant.tenant());
  }

  /** The name of a deleted tenant may be that of another one by now. */
  private boolean isOpen(Tenant tenant) {
    return tenants
        .open(tenant.name())
        .filter(open -> open.tenant().id() == tenant.id())
        .isPresent();
  }

  /**
   * Counts a request for its key, and for the tenant of the key. A key of the installation counts
   * for no tenant: operators must be able to act in one that is busy.
   */
  private void limitRate(Caller caller, @Nullable OpenTenant tenant) {
    limitRate(RateLimiter.Whose.KEY, caller.key(), settings.requestsPerSecond());
    String name = caller.tenant();
    OpenTenant own =
        name == null ? null : tenant != null ? tenant : tenants.open(name).orElse(null);
    if (own != null) {
      int most = settings.shares().quotas().requestsPerSecond(own);
      limitRate(RateLimiter.Whose.TENANT, String.valueOf(own.tenant().id()), most);
    }
  }

  private void limitRate(RateLimiter.Whose whose, String id, int perSecond) {
    if (perSecond > 0) {
      rates.check(whose, id, perSecond, settings.shares().servers().count());
    }
  }

  private Caller authenticate(RawRequest request, @Nullable String tenant) {
    String header = request.header("Authorization");
    String key =
        header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())
            ? header.substring(BEARER.length()).strip()
            : null;
    return keys.authenticate(key, tenant)
        .orElseThrow(() ->
            Code.UNAUTHENTICATED.because(
                "Send a key that is valid here, as 'Authorization: Bearer holdfast_...'."));
  }

  /** Only reached with a key that is valid for this tenant, or one of the installation. */
  private OpenTenant tenant(String name) {
    return tenants.open(name).orElseThrow(() -> notOpen(name));
  }

  private ProblemException notOpen(String name) {
    boolean exists =
        tenants
            .find(name)
            .filter(tenant ->
                tenant.state() == TenantState.ACTIVE || tenant.state() == TenantState.SUSPENDED)
            .isPresent();
    return exists
        ? new ProblemException(
            Response.Problem.of(
                    Code.TENANT_MIGRATING,
                    "The tables of tenant '%s' are being migrated to a new version: try again."
                        .formatted(name))
                .retryAfter(MIGRATING))
        : Code.TENANT_NOT_FOUND.because("Tenant '%s' does not exist, or is being deleted.", name);
  }

  private byte[] read(RawRequest request) {
    int limit = settings.bodyLimit();
    if (request.contentLength() > limit) {
      throw tooLarge(limit);
    }
    try (InputStream in = request.body()) {
      return read(in, limit, System.nanoTime() + settings.bodyTimeout().toNanos());
    } catch (IOException broken) {
      throw Code.MALFORMED_REQUEST.because("The body could not be read to its end.");
    }
  }

  /** In pieces as they arrive: a client that sends a byte from time to time must not stay long. */
  private static byte[] read(InputStream in, int limit, long deadline) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] piece = new byte[PIECE];
    while (true) {
      int length = in.read(piece);
      if (length < 0) {
        return body.toByteArray();
      }
      body.write(piece, 0, length);
      if (body.size() > limit) {
        throw tooLarge(limit);
      }
      if (System.nanoTime() - deadline > 0) {
        throw Code.REQUEST_TIMEOUT.because(
            "The body did not arrive in time: send it at once, or raise requestTimeout.");
      }
    }
  }

  private static ProblemException tooLarge(int limit) {
    return Code.PAYLOAD_TOO_LARGE.because(
        "The body has more than %d bytes: split the request, or raise bodyLimit.", limit);
  }

  static RawResponse write(RawRequest request, String id, Response response) {
    return switch (response) {
      case Response.Problem problem -> problem(id, problem);
      case Response.Nothing nothing -> new RawResponse(204, headers(id), NO_BODY, null);
      case Response.Text text -> {
        Map<String, String> headers = headers(id);
        headers.put("Content-Type", text.contentType());
        yield new RawResponse(
            text.status(), headers, text.body().getBytes(StandardCharsets.UTF_8), null);
      }
      case Response.Pieces text -> {
        Map<String, String> headers = headers(id);
        headers.put("Content-Type", text.contentType());
        yield RawResponse.of(headers, text.pieces());
      }
      case Response.Json json -> json(request, id, json);
      case Response.Stream stream -> {
        Map<String, String> headers = headers(id);
        headers.put("Content-Type", "text/event-stream");
        headers.put("X-Accel-Buffering", "no");
        yield new RawResponse(200, headers, NO_BODY, stream.events());
      }
    };
  }

  private static Map<String, String> headers(String id) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("X-Request-Id", id);
    headers.put("Cache-Control", "no-store");
    headers.put("X-Content-Type-Options", "nosniff");
    return headers;
  }

  private static RawResponse json(RawRequest request, String id, Response.Json json) {
    byte[] body = json.body().toString().getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = headers(id);
    headers.putAll(json.headers());
    boolean read = request.method().equals("GET") || request.method().equals("HEAD");
    if (read && json.status() == 200) {
      String tag = etag(body);
      headers.put("ETag", tag);
      headers.put("Cache-Control", "private, no-cache");
      if (isKnown(tag, request.header("If-None-Match"))) {
        return new RawResponse(304, headers, NO_BODY, null);
      }
    }
    headers.put("Content-Type", "application/json");
    return new RawResponse(json.status(), headers, body, null);
  }

  /** The weak comparison of RFC 9110: a list of tags, each with or without W/, or * for any. */
  private static boolean isKnown(String tag, @Nullable String known) {
    if (known == null) {
      return false;
    }
    // No tag that this server makes contains a comma.
    for (String each : known.split(",", -1)) {
      String one = each.strip();
      if (one.equals("*") || tag.equals(one.startsWith("W/") ? one.substring(2) : one)) {
        return true;
      }
    }
    return false;
  }

  private static String etag(byte[] body) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
      return "\""
          + Base64.getUrlEncoder().withoutPadding().encodeToString(hash).substring(0, 22)
          + "\"";
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256", impossible);
    }
  }

  private static RawResponse problem(String id, Response.Problem problem) {
    Code code = problem.code();
    JsonText.Obj body =
        JsonText.object()
            .put("type", "urn:holdfast:problem:" + code)
            .put("title", code.title())
            .put("status", code.status())
            .put("detail", problem.detail())
            .put("code", code.name())
            .put("requestId", id);
    if (!problem.errors().isEmpty()) {
      ArrayNode errors = JsonText.array();
      problem
          .errors()
          .forEach(error ->
              errors.add(
                  JsonText.object()
                      .put("field", error.field())
                      .put("message", error.message())
                      .done()));
      body.set("errors", errors);
    }
    Map<String, String> headers = headers(id);
    headers.put("Content-Type", "application/problem+json");
    if (code == Code.UNAUTHENTICATED) {
      headers.put("WWW-Authenticate", "Bearer");
    }
    Duration retry = problem.retryAfter();
    if (retry != null) {
      headers.put("Retry-After", String.valueOf(Math.max(1, (retry.toMillis() + 999) / 1000)));
    }
    return new RawResponse(
        code.status(), headers, body.done().toString().getBytes(StandardCharsets.UTF_8), null);
  }
}
