package dev.holdfast.engine.intake;

import dev.holdfast.api.Enqueuer;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.meter.CallSpans;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewJob.IdUse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores job requests: validates and encodes all of them before anything is written, repeats a call
 * whose reply was lost, and notifies the nodes.
 */
public final class JobSubmitter {
  private static final String ENQUEUE = "enqueue";

  private final PayloadCodec codec;
  private final ClientSettings settings;
  private final Supplier<UUID> ids;
  private final ServedQueues declared;
  private final SignalBus bus;
  private final JobOrigin origin;
  private final EnqueueChain interceptors;
  private final CallSpans spans;

  public JobSubmitter(
      PayloadCodec codec,
      ClientSettings settings,
      Supplier<UUID> ids,
      ServedQueues declared,
      SignalBus bus,
      JobOrigin origin) {
    this.origin = origin;
    this.codec = codec;
    this.settings = settings;
    this.ids = ids;
    this.declared = declared;
    this.bus = bus;
    this.interceptors = new EnqueueChain(settings.interceptors());
    this.spans = CallSpans.of(settings.telemetry());
  }

  /** Returns a submitter that differs only in the origin of its jobs. */
  public JobSubmitter from(JobOrigin origin) {
    return new JobSubmitter(codec, settings, ids, declared, bus, origin);
  }

  /** Enqueues a job in a new transaction. */
  public <P, R> Enqueued<R> enqueue(Intake intake, JobRequest<P, R> request) {
    if (!interceptors.isEmpty()) {
      return only(request, enqueueAll(intake, List.of(request)));
    }
    return spans.call(
        ENQUEUE,
        request.type().name(),
        call -> {
          List<NewJob> jobs = List.of(prepare(intake, request, call.trace()));
          List<Admission> admissions = writeRepeatably(intake, jobs);
          announce(jobs, admissions);
          call.note("holdfast.job", admissions.get(0).id());
          return enqueued(request, admissions.get(0));
        });
  }

  private static <R> Enqueued<R> only(JobRequest<?, R> request, List<Enqueued<?>> results) {
    Enqueued<?> result = results.get(0);
    return new Enqueued<>(result.id(), result.outcome(), request.type().result());
  }

  /** Enqueues many jobs in one new transaction. */
  public List<Enqueued<?>> enqueueAll(Intake intake, List<? extends JobRequest<?, ?>> requests) {
    return interceptors.run(requests, all -> writeAll(intake, all));
  }

  private List<Enqueued<?>> writeAll(Intake intake, List<? extends JobRequest<?, ?>> requests) {
    return traced(
        requests,
        trace -> {
          List<NewJob> jobs = prepareAll(intake, requests, trace);
          List<Admission> admissions = writeRepeatably(intake, jobs);
          announce(jobs, admissions);
          return results(requests, admissions);
        });
  }

  /** Jobs that are enqueued together have one span, and so belong to one trace. */
  private List<Enqueued<?>> traced(List<? extends JobRequest<?, ?>> requests, Writing writing) {
    return spans.call(
        ENQUEUE,
        requests.size() == 1 ? requests.get(0).type().name() : "",
        call -> {
          List<Enqueued<?>> results = writing.write(call.trace());
          call.note("holdfast.jobs", results.size());
          if (results.size() == 1) {
            call.note("holdfast.job", results.get(0).id());
          }
          return results;
        });
  }

  /** Writes jobs with the trace context of their call, if it has one. */
  @FunctionalInterface
  private interface Writing {
    List<Enqueued<?>> write(@Nullable String trace);
  }

  /**
   * Returns an enqueuer for an external transaction. It does not retry, since a failure aborts that
   * transaction.
   *
   * @param afterCommit receives the action that notifies nodes
   */
  public Enqueuer enqueuer(Intake intake, Consumer<Runnable> afterCommit) {
    return new Enqueuer() {
      @Override
      public <P, R> Enqueued<R> enqueue(JobRequest<P, R> request) {
        return only(request, enqueueAll(List.of(request)));
      }

      @Override
      public List<Enqueued<?>> enqueueAll(List<? extends JobRequest<?, ?>> requests) {
        return interceptors.run(
            requests,
            all -> traced(all, trace -> results(all, write(prepareAll(intake, all, trace)))));
      }

      private List<Admission> write(List<NewJob> jobs) {
        List<Admission> admissions = intake.enqueue(jobs);
        afterCommit.accept(() -> announce(jobs, admissions));
        return admissions;
      }
    };
  }

  private List<NewJob> prepareAll(
      Intake intake, List<? extends JobRequest<?, ?>> requests, @Nullable String trace) {
    List<NewJob> jobs = new ArrayList<>(requests.size());
    for (JobRequest<?, ?> request : requests) {
      jobs.add(prepare(intake, request, trace));
    }
    return jobs;
  }

  private static List<Enqueued<?>> results(
      List<? extends JobRequest<?, ?>> requests, List<Admission> admissions) {
    List<Enqueued<?>> results = new ArrayList<>(requests.size());
    for (int i = 0; i < admissions.size(); i++) {
      results.add(enqueued(requests.get(i), admissions.get(i)));
    }
    return results;
  }

  private NewJob prepare(Intake intake, JobRequest<?, ?> request, @Nullable String trace) {
    JobOptions options = request.options();
    String payload =
        Encoding.payload(
            codec,
            request.payload(),
            "task '%s'".formatted(request.type().name()),
            settings.payloadLimit());
    declared.check(options.queue(), intake::isDeclared);
    JobId own = request.id();
    return new NewJob(
        own != null ? own : new JobId(ids.get()),
        own != null ? IdUse.CHOSEN : IdUse.FRESH,
        options.when(),
        options.unique(),
        new NewJob.Content(
            request.type().name(),
            options.queue(),
            options.priority(),
            payload,
            options.tags(),
            JobTrace.with(
                JobPolicyJson.write(JobPolicy.difference(options, request.type().defaults())),
                trace),
            options.startWithin(),
            origin.of(request.type().name())));
  }

  /**
   * Writes the jobs; after a lost reply writes them again, marked as a repeat, which changes
   * nothing if the first call was carried out.
   */
  private static List<Admission> writeRepeatably(Intake intake, List<NewJob> jobs) {
    return StoreRetry.ask(
        "enqueue %d jobs".formatted(jobs.size()),
        before ->
            intake.enqueue(before == 0 ? jobs : jobs.stream().map(NewJob::repeated).toList()));
  }

  private static <R> Enqueued<R> enqueued(JobRequest<?, R> request, Admission admission) {
    return new Enqueued<>(admission.id(), admission.outcome(), request.type().result());
  }

  /** Notifies each queue once, and the stagers of the job that is due first. */
  private void announce(List<NewJob> jobs, List<Admission> admissions) {
    Map<String, Signal.NewWork> fresh = new HashMap<>();
    Duration soonest = null;
    for (int i = 0; i < jobs.size(); i++) {
      if (admissions.get(i).outcome() == Enqueued.Outcome.EXISTING) {
        continue;
      }
      NewJob job = jobs.get(i);
      switch (job.when()) {
        case When.Now now ->
            fresh.merge(
                job.content().queue(),
                new Signal.NewWork(job.content().queue(), job.content().priority(), 1),
                Signal.NewWork::and);
        case When.After after -> soonest = sooner(soonest, after.delay());
        case When.At at -> soonest = sooner(soonest, Duration.between(Instant.now(), at.time()));
      }
      if (job.content().startWithin() != null) {
        soonest = sooner(soonest, job.content().startWithin());
      }
    }
    fresh.values().forEach(bus::publish);
    if (soonest != null) {
      bus.publish(new Signal.Scheduled(soonest.isNegative() ? Duration.ZERO : soonest));
    }
  }

  private static Duration sooner(@Nullable Duration one, Duration other) {
    return one != null && one.compareTo(other) <= 0 ? one : other;
  }
}
