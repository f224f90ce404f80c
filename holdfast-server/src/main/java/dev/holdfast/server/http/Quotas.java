package dev.holdfast.server.http;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.TenantQuotas;
import dev.holdfast.server.tenant.TenantSettings;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.ToLongBiFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that would give a tenant more than its quota.
 *
 * <p>There is no counter that all requests would wait for: what a tenant has is counted at most
 * once a second, and requests that this server admitted since then are added. So a tenant can
 * exceed its quota by what other servers admit in a second. Counting stops where the quota is
 * exceeded, so a long queue is not read to its end.
 */
public final class Quotas {
  private static final long FRESH = Duration.ofSeconds(1).toNanos();
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final String TENANT = "/v1/tenants/{tenant}";
  private static final JobFilter QUEUED = JobFilter.all().state(JobState.READY, JobState.SCHEDULED);
  private static final RunFilter OPEN =
      RunFilter.all()
          .state(RunState.QUEUED, RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING);

  private final Limits ofServer;
  private final LongSupplier nanos;
  private final Map<String, Counted> counts = new ConcurrentHashMap<>();

  /**
   * How much a tenant may have. 0 means any number.
   *
   * @param queuedJobs jobs that have not started
   * @param openRuns runs that have not ended
   * @param payloadBytes the bytes of a request that creates work
   * @param schedules schedules
   * @param requestsPerSecond requests in a second, with all keys of the tenant together
   */
  public record Limits(
      long queuedJobs, long openRuns, long payloadBytes, long schedules, long requestsPerSecond) {
    /** No limits. */
    public static final Limits NONE = new Limits(0, 0, 0, 0, 0);

    /** Returns these limits, with those that the settings of a tenant have instead. */
    public Limits with(TenantSettings settings) {
      TenantQuotas own = settings.quotas();
      return new Limits(
          or(own.queuedJobs(), queuedJobs),
          or(own.openRuns(), openRuns),
          or(own.payloadBytes(), payloadBytes),
          or(own.schedules(), schedules),
          or(settings.requestsPerSecond(), requestsPerSecond));
    }

    private static long or(@Nullable Integer own, long otherwise) {
      return own == null ? otherwise : own;
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public Limits {
      if (LongStream.of(queuedJobs, openRuns, payloadBytes, schedules, requestsPerSecond)
              .min()
              .orElse(0)
          < 0) {
        throw new IllegalArgumentException(
            "Quotas %d, %d, %d, %d and %d are not valid: give 0 for any number, or more."
                .formatted(queuedJobs, openRuns, payloadBytes, schedules, requestsPerSecond));
      }
    }
  }

  /** What was counted, and what was admitted since. */
  private static final class Counted {
    private long at;
    private long count;
    private boolean known;

    /**
     * Admits what a request adds if there is room for all of it.
     *
     * @return how much there was room for
     */
    synchronized long admit(long added, long limit, LongSupplier fresh, long now) {
      if (!known || now - at >= FRESH) {
        count = fresh.getAsLong();
        at = now;
        known = true;
      }
      long room = Math.max(0, limit - count);
      if (added <= room) {
        count += added;
      }
      return room;
    }
  }

  /**
   * @param ofServer the limits of tenants whose settings have no others
   */
  public Quotas(Limits ofServer, LongSupplier nanos) {
    this.ofServer = ofServer;
    this.nanos = nanos;
  }

  private Limits of(OpenTenant tenant) {
    return ofServer.with(tenant.tenant().settings());
  }

  /** Returns how many requests a second all keys of a tenant may make; 0 for any number. */
  int requestsPerSecond(OpenTenant tenant) {
    return Math.toIntExact(of(tenant).requestsPerSecond());
  }

  /**
   * Checks a call before it is handled.
   *
   * @throws ProblemException if it exceeds a quota
   */
  void check(Call call) {
    Route route = call.route();
    if (!route.isOfTenant() || route.method() == Method.GET) {
      return;
    }
    OpenTenant tenant = call.tenant();
    Limits most = of(tenant);
    int bytes = call.bytes().length;
    switch (route.method() + route.path().substring(TENANT.length())) {
      case "POST/jobs", "POST/events" -> {
        payload(most, bytes);
        jobs(tenant, most, 1);
        starters(call, tenant, most);
      }
      case "POST/jobs/bulk", "POST/workers/{worker}/jobs" -> {
        payload(most, bytes);
        jobs(tenant, most, most.queuedJobs() == 0 ? 1 : call.elements("jobs"));
        starters(call, tenant, most);
      }
      case "POST/schedules/{schedule}/fire" -> jobs(tenant, most, 1);
      case "POST/runs", "POST/runs/{run}/rerun" -> {
        payload(most, bytes);
        runs(tenant, most, 1);
      }
      case "PUT/schedules/{schedule}" -> {
        payload(most, bytes);
        schedules(tenant, most, call.path("schedule"));
      }
      default -> {
        // Creates nothing that is limited.
      }
    }
  }

  private void jobs(OpenTenant tenant, Limits most, int added) {
    room(tenant, "jobs", added, most.queuedJobs(), Quotas::queued, Code.QUOTA_QUEUED_JOBS);
  }

  private void runs(OpenTenant tenant, Limits most, int added) {
    room(tenant, "runs", added, most.openRuns(), Quotas::open, Code.QUOTA_OPEN_RUNS);
  }

  /** Jobs that start runs need room for these too. */
  private void starters(Call call, OpenTenant tenant, Limits most) {
    int starters = most.openRuns() == 0 ? 0 : call.starters("jobs");
    if (starters > 0) {
      runs(tenant, most, starters);
    }
  }

  private static void payload(Limits most, long bytes) {
    if (most.payloadBytes() > 0 && bytes > most.payloadBytes()) {
      throw Code.QUOTA_PAYLOAD_BYTES.because(
          "The request has %d bytes, and the tenant may send %d: store large data elsewhere and"
              + " send a reference.",
          bytes, most.payloadBytes());
    }
  }

  private void room(
      OpenTenant tenant,
      String what,
      int added,
      long most,
      ToLongBiFunction<OpenTenant, Integer> count,
      Code code) {
    if (most == 0) {
      return;
    }
    Counted counted =
        counts.computeIfAbsent(tenant.tenant().id() + " " + what, any -> new Counted());
    int bound = (int) Math.min(most, Integer.MAX_VALUE);
    long room =
        counted.admit(added, most, () -> count.applyAsLong(tenant, bound), nanos.getAsLong());
    if (room < added) {
      throw new ProblemException(
          Response.Problem.of(
                  code,
                  "The tenant may have %d %s and has room for %d, but the request adds %d: try again when some have ended."
                      .formatted(most, what, room, added))
              .retryAfter(SOON));
    }
  }

  /** A change of a schedule that exists needs no room. */
  private void schedules(OpenTenant tenant, Limits most, String id) {
    if (most.schedules() == 0 || tenant.client().schedules().find(id).isPresent()) {
      return;
    }
    if (tenant.client().schedules().list().size() >= most.schedules()) {
      throw Code.QUOTA_SCHEDULES.because(
          "The tenant has as many schedules as it may (%d): delete one first.", most.schedules());
    }
  }

  private static long queued(OpenTenant tenant, int most) {
    return tenant.store().queries().count(QUEUED, most).total();
  }

  private static long open(OpenTenant tenant, int most) {
    return tenant.store().runs().queries().count(OPEN, most).total();
  }
}
