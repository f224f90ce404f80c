package dev.holdfast.worker;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The registration and the heartbeat of a worker. Servers apply the rules of queues and tasks and
 * watch other nodes, so none of that is known here.
 */
final class HttpNodes implements NodeStore {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Runs tasks and nothing else: what a node does for the cluster, servers do. */
  static final Modes WORKING = new Modes(NodeMode.DISABLED, Map.of("**", NodeMode.FULL));

  private static final Modes DRAINED = new Modes(NodeMode.DISABLED, Map.of());

  private final WorkerApi api;
  private final AtomicReference<@Nullable UUID> current;

  /**
   * @param current is told which incarnation is registered
   */
  HttpNodes(WorkerApi api, AtomicReference<@Nullable UUID> current) {
    this.api = api;
    this.current = current;
  }

  @Override
  public void register(NodeRegistration node, Modes modes, @Nullable UUID before) {
    ObjectNode body =
        WorkerJson.object()
            .put("worker", node.incarnation().toString())
            .put("id", node.id())
            .put("host", node.host())
            .put("pid", node.pid())
            .put("version", node.version())
            .put("capacity", node.capacity())
            .put("timeout", node.timeouts().running().toString());
    if (node.name() != null) {
      body.put("name", node.name());
    }
    if (before != null) {
      body.put("replaces", before.toString());
    }
    ArrayNode tasks = body.putArray("tasks");
    node.tasks().forEach(tasks::add);
    ArrayNode queues = body.putArray("queues");
    node.queues().forEach(queues::add);
    ArrayNode stacks = body.putArray("stacks");
    node.serves().forEach(stacks::add);
    JsonNode unused =
        api.register(body, PATIENCE)
            .orElseThrow(() ->
                new StoreException(
                    StoreException.Outcome.REFUSED,
                    "Worker %s was declared dead before it had registered."
                        .formatted(node.incarnation()),
                    null));
    current.set(node.incarnation());
  }

  @Override
  public Optional<HeartbeatReply> beat(Heartbeat beat) {
    ObjectNode body = WorkerJson.object().put("from", beat.fromCall());
    return api.call(beat.incarnation(), "heartbeat", body, beat.patience())
        .map(reply ->
            new HeartbeatReply(
                claims(reply),
                Map.of(),
                Map.of(),
                reply.path("drain").asBoolean() ? DRAINED : WORKING,
                reply.path("fence").asBoolean()));
  }

  private static List<ClaimRow> claims(JsonNode reply) {
    Set<String> cancelled = jobs(reply.path("cancel"));
    Set<String> released = jobs(reply.path("release"));
    List<ClaimRow> rows = new ArrayList<>();
    for (JsonNode row : reply.path("claims")) {
      String job = row.path("job").asString();
      rows.add(
          new ClaimRow(
              WorkerJson.claim(row),
              Long.parseLong(row.path("call").asString()),
              row.path("started").asBoolean(),
              cancelled.contains(job),
              released.contains(job)));
    }
    return rows;
  }

  private static Set<String> jobs(JsonNode list) {
    Set<String> jobs = new HashSet<>();
    list.forEach(each -> jobs.add(each.path("job").asString()));
    return jobs;
  }

  @Override
  public List<ClaimRow> claims(UUID incarnation) {
    return api.call(incarnation, "heartbeat", WorkerJson.object(), PATIENCE)
        .map(HttpNodes::claims)
        .orElse(List.of());
  }

  @Override
  public void leave(UUID incarnation) {
    current.set(null);
    api.deregister(incarnation, PATIENCE);
  }

  // What follows is about other nodes. Servers know them, a worker does not.

  @Override
  public Look look(UUID watcher, int reach, boolean dead) {
    return new Look(List.of(), List.of());
  }

  @Override
  public boolean isAdvised(String task, @Nullable String stack) {
    return false;
  }

  @Override
  public boolean markDead(UUID incarnation, long beat, Duration silence) {
    return false;
  }

  @Override
  public boolean requestFence(UUID incarnation) {
    return false;
  }

  @Override
  public boolean setModes(UUID incarnation, Modes seen, Modes modes) {
    return false;
  }

  @Override
  public List<NodeSnapshot> list() {
    return List.of();
  }

  @Override
  public List<PastHeartbeat> pastBeats(String id, int limit) {
    return List.of();
  }

  @Override
  public Optional<UUID> holderOf(JobId id) {
    return Optional.empty();
  }
}
