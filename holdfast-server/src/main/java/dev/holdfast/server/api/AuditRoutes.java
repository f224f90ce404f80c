package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.ADMIN;
import static dev.holdfast.server.http.Permission.MANAGE_KEYS;

import dev.holdfast.server.audit.AuditEntry;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Query;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The audit log of tenants and of the installation. */
final class AuditRoutes {
  private static final String OF_TENANT = "/v1/tenants/{tenant}/audit";
  private static final String ALL = "/v1/audit";
  private static final int PAGE = 500;

  private final AuditLog log;
  private final Paging paging;

  AuditRoutes(Services services) {
    this.log = services.audit();
    this.paging = new Paging(services.cursors());
  }

  List<Route> routes() {
    return List.of(
        Route.get(OF_TENANT, MANAGE_KEYS, call -> list(call, tenant(call))),
        Route.get(OF_TENANT + "/export", MANAGE_KEYS, call -> export(call, tenant(call))),
        Route.get(ALL, ADMIN, call -> list(call, null)),
        Route.get(ALL + "/export", ADMIN, call -> export(call, null)));
  }

  private static String tenant(Call call) {
    return call.tenant().tenant().name();
  }

  private static AuditLog.Filter filter(Query query) {
    return new AuditLog.Filter(
        query.text("action"),
        query.text("key"),
        query.text("target"),
        query.text("outcome"),
        query.instant("after"),
        query.instant("before"));
  }

  private Response list(Call call, @Nullable String tenant) {
    AuditLog.Filter filter = filter(call.query());
    return paging.page(
        call,
        new Paging.Listed<Long, AuditEntry>(
            "entries", Long::valueOf, entry -> String.valueOf(entry.id()), AuditRoutes::view),
        (after, limit) -> log.list(tenant, filter, after == null ? Long.MAX_VALUE : after, limit));
  }

  private Response export(Call call, @Nullable String tenant) {
    AuditLog.Filter filter = filter(call.query());
    call.query().done();
    Pages pages = new Pages(tenant, filter);
    return new Response.Pieces("application/x-ndjson", pages);
  }

  /** Reads the log page by page as a client takes it, latest first. */
  private final class Pages implements Iterator<String> {
    private final @Nullable String tenant;
    private final AuditLog.Filter filter;
    private List<AuditEntry> page;

    Pages(@Nullable String tenant, AuditLog.Filter filter) {
      this.tenant = tenant;
      this.filter = filter;
      // Here, so that an unavailable database is reported as an error, not as a broken export.
      this.page = log.list(tenant, filter, Long.MAX_VALUE, PAGE);
    }

    @Override
    public boolean hasNext() {
      return !page.isEmpty();
    }

    @Override
    public String next() {
      if (page.isEmpty()) {
        throw new NoSuchElementException();
      }
      StringBuilder lines = new StringBuilder();
      page.forEach(entry -> lines.append(view(entry)).append('\n'));
      page = page.size() < PAGE ? List.of() : log.list(tenant, filter, page.getLast().id(), PAGE);
      return lines.toString();
    }
  }

  private static ObjectNode view(AuditEntry entry) {
    return JsonText.object()
        .put("id", entry.id())
        .put("at", entry.at())
        .put("tenant", entry.tenant())
        .put("key", entry.key())
        .put("keyName", entry.keyName())
        .put("address", entry.address())
        .put("request", entry.request())
        .put("action", entry.action())
        .put("target", entry.target())
        .set("before", entry.before() == null ? null : JsonText.orString(entry.before()))
        .set("after", entry.after() == null ? null : JsonText.orString(entry.after()))
        .put("outcome", entry.outcome())
        .done();
  }
}
