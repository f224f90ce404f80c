package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.PUBLIC;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.internal.Names;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.metrics.Backlogs;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** How many jobs wait, for autoscalers. */
public final class BacklogRoutes {
  private final Backlogs backlogs;

  public BacklogRoutes(Backlogs backlogs) {
    this.backlogs = backlogs;
  }

  /** Returns the route that every server has. Like the metrics, it needs no key. */
  public List<Route> ofInstallation() {
    return List.of(Route.get("/backlog", PUBLIC, this::all));
  }

  /** Returns the route of tenants. */
  public List<Route> ofTenants() {
    return List.of(Route.get("/v1/tenants/{tenant}/queues/{queue}/backlog", READ, this::one));
  }

  private Response all(Call call) {
    Set<String> queues = new TreeSet<>();
    call.query().all("queue").forEach(name -> queues.add(Names.queue(name)));
    call.query().done();
    if (queues.isEmpty()) {
      throw Code.INVALID_REQUEST.because("Give the queues, as in queue=default,mail.");
    }
    return view(backlogs.of(queues));
  }

  private Response one(Call call) {
    call.query().done();
    String queue = Names.queue(call.path("queue"));
    return view(backlogs.of(call.tenant().tenant().id(), queue));
  }

  private static Response view(Backlogs.Backlog backlog) {
    // A number, not a text as other 64-bit numbers: autoscalers read it.
    return Response.ok(
        JsonText.object()
            .put("backlog", Math.toIntExact(Math.min(backlog.ready(), Integer.MAX_VALUE)))
            .put("more", backlog.more())
            .done());
  }
}
