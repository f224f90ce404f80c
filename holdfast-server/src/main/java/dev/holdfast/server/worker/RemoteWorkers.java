package dev.holdfast.server.worker;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Journals.Taken;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.Outcomes.Note;
import dev.holdfast.server.node.WorkerNodes;
import dev.holdfast.server.node.WorkerNodes.Worker;
import dev.holdfast.server.tenant.OpenTenant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Handles the calls of remote workers of all tenants. */
public final class RemoteWorkers implements AutoCloseable {
  private final WorkerNodes nodes;
  private final Flights flights = new Flights();
  private final Map<Integer, TenantWork> tenants = new ConcurrentHashMap<>();

  public RemoteWorkers(WorkerNodes nodes) {
    this.nodes = nodes;
  }

  private TenantWork work(OpenTenant tenant) {
    return tenants.computeIfAbsent(tenant.tenant().id(), id -> new TenantWork(tenant.signals()));
  }

  /**
   * Registers a worker, or repeats that.
   *
   * @param before an earlier incarnation of it, which ends; null for none
   * @throws dev.holdfast.server.http.ProblemException if this incarnation is dead
   */
  public void register(OpenTenant tenant, NodeRegistration node, @Nullable UUID before) {
    if (!nodes.register(tenant.tenant(), node, before)) {
      throw WorkerClaims.dead(node.incarnation());
    }
  }

  /**
   * Finds a worker that is alive.
   *
   * @throws dev.holdfast.server.http.ProblemException if it is unknown or dead
   */
  public Worker find(OpenTenant tenant, UUID incarnation) {
    return WorkerClaims.alive(nodes.find(tenant.tenant(), incarnation), incarnation);
  }

  /** Finds a worker, dead or alive. */
  public Optional<Worker> known(OpenTenant tenant, UUID incarnation) {
    return nodes.find(tenant.tenant(), incarnation);
  }

  /**
   * Returns whether jobs may belong to a stack: whether the worker has registered it, or another
   * node that is alive, or it is a version of a package.
   */
  public boolean isStack(OpenTenant tenant, Worker worker, String stack) {
    return nodes.isStack(tenant.tenant(), worker.incarnation(), stack);
  }

  /** Claims jobs, or returns what the same call claimed before. */
  public List<ClaimedJob> claim(OpenTenant tenant, Worker worker, ClaimCall call) {
    List<ClaimedJob> jobs = new WorkerClaims(tenant, work(tenant), flights).claim(worker, call);
    if (!jobs.isEmpty() && worker.running() == 0) {
      // Servers watch a worker that holds jobs more closely. If it has died meanwhile, a sweep
      // recovers them.
      boolean unused = nodes.beat(tenant.tenant(), worker.incarnation(), jobs.size());
    }
    return jobs;
  }

  /**
   * Starts jobs that were claimed without being started.
   *
   * @return those that run now; the worker no longer holds the others
   */
  public Set<ClaimId> start(OpenTenant tenant, Worker worker, List<ClaimId> claims) {
    return tenant.store().claims().start(worker.incarnation(), claims);
  }

  /** Records how attempts ended; one result for each, in order. */
  public List<Reported.Result> record(OpenTenant tenant, Worker worker, List<Reported> reports) {
    return reports.isEmpty()
        ? List.of()
        : tenant.change(
            () -> new WorkerOutcomes(tenant.store(), work(tenant)).record(worker, reports));
  }

  /**
   * What a worker learns from a heartbeat.
   *
   * @param claims what it holds, from the oldest call that it named on
   * @param lost the jobs that it named and does not hold
   * @param drain whether it gets no more jobs
   * @param fence whether it must stop its jobs and register again
   */
  public record Reply(List<ClaimRow> claims, List<ClaimId> lost, boolean drain, boolean fence) {}

  /** Records a heartbeat. */
  public Reply beat(OpenTenant tenant, Worker worker, WorkerBeat beat) {
    HeartbeatReply reply = WorkerClaims.check(tenant, worker, beat.from());
    if (!nodes.beat(tenant.tenant(), worker.incarnation(), reply.claims().size())) {
      throw WorkerClaims.dead(worker.incarnation());
    }
    List<ClaimRow> claims = new ArrayList<>(reply.claims());
    List<ClaimId> lost = new ArrayList<>();
    List<WorkerBeat.Held> named = beat.jobs();
    if (named != null) {
      Set<ClaimId> unnamed = new HashSet<>();
      claims.forEach(row -> unnamed.add(row.claim()));
      named.stream()
          .map(WorkerBeat.Held::claim)
          .filter(claim -> !unnamed.remove(claim))
          .forEach(lost::add);
      Long answered = beat.answered();
      if (answered != null) {
        claims.removeAll(handBack(tenant, worker, claims, unnamed, answered));
      }
      note(tenant, worker, named);
    }
    return new Reply(claims, lost, reply.modes().node() != NodeMode.FULL, reply.fenceRequested());
  }

  /** Hands back the jobs of calls whose reply was lost, without using an attempt. */
  private List<ClaimRow> handBack(
      OpenTenant tenant,
      Worker worker,
      List<ClaimRow> claims,
      Set<ClaimId> unnamed,
      long answered) {
    List<ClaimRow> unknown =
        claims.stream()
            .filter(row -> row.claimNo() <= answered && unnamed.contains(row.claim()))
            .toList();
    if (!unknown.isEmpty()) {
      List<Reported> reports = new ArrayList<>();
      unknown.forEach(row -> reports.add(new Reported.HandedBack(row.claim(), false)));
      List<Reported.Result> unused = record(tenant, worker, reports);
    }
    return unknown;
  }

  private static void note(OpenTenant tenant, Worker worker, List<WorkerBeat.Held> named) {
    Map<ClaimId, WorkerBeat.Progress> reported = new HashMap<>();
    Set<JobId> ids = new HashSet<>();
    for (WorkerBeat.Held job : named) {
      WorkerBeat.Progress progress = job.progress();
      if (progress != null) {
        reported.put(job.claim(), progress);
        ids.add(job.claim().id());
      }
    }
    List<Note> notes = new ArrayList<>();
    for (ClaimedJob job : tenant.store().claims().held(worker.incarnation(), ids, true)) {
      WorkerBeat.Progress progress = reported.get(job.claim());
      if (progress != null) {
        JobProgress latest =
            new JobProgress(progress.done(), progress.total(), progress.message(), Instant.now());
        notes.add(
            new Note(job.claim(), new JobNotes(latest, JobNotes.read(job.notes()).log()).write()));
      }
    }
    if (!notes.isEmpty()) {
      Set<ClaimId> unused = tenant.store().outcomes().note(worker.incarnation(), notes);
    }
  }

  /**
   * Stores notes of running jobs, each replacing what was stored before.
   *
   * @return the claims whose notes were stored
   */
  public Set<ClaimId> note(OpenTenant tenant, Worker worker, Map<ClaimId, JobNotes> notes) {
    List<Note> all = new ArrayList<>();
    notes.forEach((claim, note) -> all.add(new Note(claim, note.write())));
    return tenant.store().outcomes().note(worker.incarnation(), all);
  }

  /**
   * Returns the journal of a job; empty if the worker does not hold it. A read changes nothing, so
   * it needs no token.
   */
  public Optional<List<JournalEntry>> journal(OpenTenant tenant, Worker worker, JobId job) {
    return holds(tenant, worker, job)
        ? Optional.of(tenant.store().journals().load(job))
        : Optional.empty();
  }

  /** Returns whether the worker holds a job. */
  public boolean holds(OpenTenant tenant, Worker worker, JobId job) {
    return !tenant.store().claims().held(worker.incarnation(), Set.of(job), false).isEmpty();
  }

  /**
   * Writes the entry of a durable step, if the worker holds its job under this token.
   *
   * @return whether it does
   */
  public boolean append(OpenTenant tenant, Worker worker, ClaimId claim, JournalEntry entry) {
    return tenant.store().journals().append(worker.incarnation(), claim, entry);
  }

  /** Takes a signal for a job, if the worker holds it under this token. */
  public Taken take(OpenTenant tenant, Worker worker, ClaimId claim, EntryKey key) {
    return tenant.store().journals().take(worker.incarnation(), claim, key);
  }

  /** Deregisters a worker. */
  public void leave(OpenTenant tenant, Worker worker) {
    nodes.leave(tenant.tenant(), worker.incarnation());
  }

  /** Declares a worker dead whose process has ended. */
  public void died(OpenTenant tenant, UUID incarnation) {
    nodes.died(tenant.tenant(), incarnation);
  }

  /** Ends all calls that wait for work. */
  @Override
  public void close() {
    tenants.values().forEach(TenantWork::close);
  }
}
