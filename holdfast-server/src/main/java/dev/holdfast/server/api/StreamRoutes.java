package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.ADMIN;
import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.ProblemException;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.node.NodeDirectory;
import dev.holdfast.server.stream.FeedViews;
import dev.holdfast.server.stream.Feeds;
import dev.holdfast.server.stream.Subscription;
import dev.holdfast.server.stream.Topics;
import dev.holdfast.server.tenant.OpenTenant;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Events for clients that watch. */
public final class StreamRoutes {
  private final Feeds feeds;

  /**
   * @param nodes the nodes of the installation
   */
  public StreamRoutes(NodeDirectory nodes) {
    this.feeds =
        new Feeds(
            new FeedViews(
                event -> RunView.event(event).toString(),
                StreamRoutes::jobs,
                StreamRoutes::nodes,
                () -> nodes(nodes)));
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/stream", ADMIN, this::streamNodes),
        Route.get("/v1/tenants/{tenant}/stream", READ, this::stream));
  }

  /** Returns the feeds, to be closed when the server stops. */
  public Feeds feeds() {
    return feeds;
  }

  private static String jobs(OpenTenant tenant) {
    ArrayNode array = JsonText.array();
    tenant.client().queues().list().forEach(queue -> array.add(QueueRoutes.snapshot(queue)));
    return JsonText.object().set("queues", array).done().toString();
  }

  /** Without ids, which contain host names: only operators of the installation may see these. */
  private static String nodes(OpenTenant tenant) {
    ArrayNode array = JsonText.array();
    for (NodeInfo node : tenant.client().nodes().list()) {
      array.add(
          node(JsonText.object(), node.alive(), node.mode(), node.running(), node.capacity()));
    }
    return JsonText.object().set("nodes", array).done().toString();
  }

  private static String nodes(NodeDirectory directory) {
    ArrayNode array = JsonText.array();
    for (NodeSnapshot node : NodeRoutes.latest(directory).values()) {
      array.add(
          node(
              JsonText.object().put("id", node.registration().id()),
              node.alive(),
              node.modes().node(),
              node.running(),
              node.registration().capacity()));
    }
    return JsonText.object().set("nodes", array).done().toString();
  }

  private static ObjectNode node(
      JsonText.Obj view, boolean alive, NodeMode mode, int running, int capacity) {
    return view.put("alive", alive)
        .putText("mode", mode)
        .put("running", running)
        .put("capacity", capacity)
        .done();
  }

  private static Topics topics(Call call, String known) {
    List<String> names = call.query().all("topic");
    call.query().done();
    try {
      return Topics.parse(names, call.header("Last-Event-ID"));
    } catch (IllegalArgumentException wrong) {
      throw Code.INVALID_REQUEST.because("Give topics: %s.", known);
    }
  }

  private Response streamNodes(Call call) {
    Topics topics = topics(call, "?topic=nodes");
    if (topics.jobs() || !topics.runs().isEmpty()) {
      throw Code.INVALID_REQUEST.because(
          "Jobs and runs belong to tenants: watch them at /v1/tenants/TENANT/stream, and"
              + " ?topic=nodes here.");
    }
    return stream(feeds.subscribeToNodes());
  }

  private Response stream(Call call) {
    Topics topics = topics(call, "?topic=run:ID&topic=jobs&topic=nodes, with at most 20 runs");
    for (RunId run : topics.runs().keySet()) {
      if (call.tenant().store().runs().queries().find(run).isEmpty()) {
        throw Code.RUN_NOT_FOUND.because("Run %s does not exist, or is no longer kept.", run);
      }
    }
    return stream(feeds.subscribe(call.tenant(), topics));
  }

  private static Response stream(@Nullable Subscription subscription) {
    if (subscription == null) {
      throw new ProblemException(
          Response.Problem.of(
                  Code.TOO_MANY_STREAMS,
                  "As many clients watch on this server as it allows: close some, or watch several"
                      + " topics on one connection.")
              .retryAfter(Duration.ofSeconds(5)));
    }
    return new Response.Stream(subscription);
  }
}
