package dev.holdfast.server.api;

import static dev.holdfast.server.http.Permission.READ;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Code;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.stream.FeedViews;
import dev.holdfast.server.stream.Feeds;
import dev.holdfast.server.stream.Subscription;
import dev.holdfast.server.stream.Topics;
import dev.holdfast.server.tenant.OpenTenant;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;

/** Events for clients that watch. */
public final class StreamRoutes {
  private final Feeds feeds =
      new Feeds(
          new FeedViews(
              event -> RunView.event(event).toString(), StreamRoutes::jobs, StreamRoutes::nodes));

  List<Route> routes() {
    return List.of(Route.get("/v1/tenants/{tenant}/stream", READ, this::stream));
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

  private static String nodes(OpenTenant tenant) {
    ArrayNode array = JsonText.array();
    for (NodeInfo node : tenant.client().nodes().list()) {
      array.add(
          JsonText.object()
              .put("id", node.id())
              .put("alive", node.alive())
              .putText("mode", node.mode())
              .put("running", node.running())
              .put("capacity", node.capacity())
              .done());
    }
    return JsonText.object().set("nodes", array).done().toString();
  }

  private Response stream(Call call) {
    List<String> names = call.query().all("topic");
    call.query().done();
    Topics topics;
    try {
      topics = Topics.parse(names, call.header("Last-Event-ID"));
    } catch (IllegalArgumentException wrong) {
      throw Code.INVALID_REQUEST.because(
          "Give topics: ?topic=run:ID&topic=jobs&topic=nodes, with at most 20 runs.");
    }
    for (RunId run : topics.runs().keySet()) {
      if (call.tenant().store().runs().queries().find(run).isEmpty()) {
        throw Code.RUN_NOT_FOUND.because("Run %s does not exist, or is no longer kept.", run);
      }
    }
    Subscription subscription = feeds.subscribe(call.tenant(), topics);
    if (subscription == null) {
      throw new dev.holdfast.server.http.ProblemException(
          Response.Problem.of(
                  Code.TOO_MANY_STREAMS, "This server has as many watching clients as it can.")
              .retryAfter(Duration.ofSeconds(5)));
    }
    return new Response.Stream(subscription);
  }
}
