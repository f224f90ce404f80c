package dev.holdfast.worker;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Claims, starts and hands back jobs through a server, which applies the rules. */
final class HttpClaims implements Claims {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int MOST = 1_000;

  private final WorkerApi api;

  HttpClaims(WorkerApi api) {
    this.api = api;
  }

  @Override
  public List<ClaimedJob> claim(ClaimRequest request) {
    int start = Math.min(MOST, request.start());
    ObjectNode body =
        WorkerJson.object()
            .put("call", request.claimNo())
            .put("from", request.claimNo())
            .put("max", start)
            .put("prefetch", Math.min(MOST - start, request.prefetch()));
    body.putArray("queues").add(request.queue());
    ArrayNode tasks = body.putArray("tasks");
    request.tasks().forEach(tasks::add);
    ArrayNode stacks = body.putArray("stacks");
    request.stacks().forEach(stacks::add);
    List<ClaimedJob> jobs = new ArrayList<>();
    api.call(request.incarnation(), "claim", body, PATIENCE)
        .ifPresent(reply -> reply.path("jobs").forEach(job -> jobs.add(WorkerJson.job(job))));
    return jobs;
  }

  @Override
  public List<ClaimedJob> held(UUID incarnation, Set<JobId> jobs, boolean payloads) {
    throw new UnsupportedOperationException("A claim call is repeated instead.");
  }

  @Override
  public Set<String> queuesWithReadyJobs(
      Set<String> queues, Set<String> tasks, Set<String> stacks) {
    return queues; // Only a claim tells.
  }

  @Override
  public Set<ClaimId> start(UUID incarnation, List<ClaimId> claims) {
    ObjectNode body = WorkerJson.object();
    ArrayNode jobs = body.putArray("jobs");
    claims.forEach(claim -> WorkerJson.put(jobs.addObject(), claim));
    return done(incarnation, "start", body, "jobs", "STARTED");
  }

  @Override
  public Set<ClaimId> giveBack(UUID incarnation, List<ReleasedClaim> claims) {
    if (claims.isEmpty()) {
      return Set.of();
    }
    ObjectNode body = WorkerJson.object();
    ArrayNode outcomes = body.putArray("outcomes");
    for (ReleasedClaim released : claims) {
      WorkerJson.put(outcomes.addObject(), released.claim())
          .put("outcome", "HANDED_BACK")
          .put("ran", released.ran());
    }
    return done(incarnation, "outcomes", body, "outcomes", "RECORDED");
  }

  private Set<ClaimId> done(
      UUID incarnation, String what, ObjectNode body, String list, String result) {
    Set<ClaimId> done = new HashSet<>();
    api.call(incarnation, what, body, PATIENCE)
        .ifPresent(reply -> {
          for (JsonNode each : reply.path(list)) {
            if (each.path("result").asString().equals(result)) {
              done.add(WorkerJson.claim(each));
            }
          }
        });
    return done;
  }
}
