package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Staging;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;

/**
 * The base class of all topics of the contract: a store for each test, and methods for common
 * steps.
 */
public abstract class Contract {
  protected static final String QUEUE = JobDraft.QUEUE;
  protected static final String TASK = JobDraft.TASK;
  protected static final int PLENTY = 1000;

  private StoreFixture fixture;
  protected Store store;

  /** Returns a fixture with an empty store. Called before each test. */
  protected abstract StoreFixture newFixture();

  @BeforeEach
  void openStore() {
    fixture = newFixture();
    store = fixture.store();
  }

  protected void passTime(Duration time) {
    fixture.passTime(time);
  }

  protected void breakConsistency(Inconsistency how, RunId run, int step) {
    fixture.breakConsistency(how, run, step);
  }

  /** Returns the token of jobs that were never claimed. */
  protected long firstToken() {
    return fixture.firstToken();
  }

  protected static JobDraft job() {
    return new JobDraft();
  }

  protected static JobId freshId() {
    return new JobId(UuidCreator.getTimeOrderedEpoch());
  }

  protected static UUID freshIncarnation() {
    return UuidCreator.getTimeOrderedEpoch();
  }

  /** Registers a live node that serves the default queue and knows the default task. */
  protected Worker worker(String name) {
    return Worker.join(store, name, QUEUE, TASK);
  }

  protected Worker worker() {
    return worker("node-1");
  }

  /** Registers a live node that runs jobs of these stacks and jobs without a stack. */
  protected Worker serving(String name, String... stacks) {
    return serving(name, Modes.FULL, stacks);
  }

  protected Worker serving(String name, Modes modes, String... stacks) {
    return Worker.joinStacks(store, name, Set.of(stacks), QUEUE, TASK, modes);
  }

  protected Admission admit(JobDraft draft) {
    return admit(draft.build());
  }

  protected Admission admit(NewJob job) {
    List<Admission> admissions = store.intake().enqueue(List.of(job));
    assertThat(admissions).hasSize(1);
    return admissions.get(0);
  }

  /** Enqueues a job that must be new. */
  protected JobId enqueue(JobDraft draft) {
    Admission admission = admit(draft);
    assertThat(admission.outcome()).isEqualTo(Enqueued.Outcome.CREATED);
    return admission.id();
  }

  /** Enqueues jobs in one call, all of which must be new. */
  protected List<JobId> enqueueAll(JobDraft... drafts) {
    List<NewJob> jobs = Arrays.stream(drafts).map(JobDraft::build).toList();
    List<Admission> admissions = store.intake().enqueue(jobs);
    assertThat(admissions)
        .extracting(Admission::outcome)
        .hasSize(jobs.size())
        .containsOnly(Enqueued.Outcome.CREATED);
    return admissions.stream().map(Admission::id).toList();
  }

  protected Job find(JobId id) {
    Job job = store.queries().find(Set.of(id)).get(id);
    if (job == null) {
      throw new AssertionError("Job %s was not found.".formatted(id));
    }
    return job;
  }

  protected JobState stateOf(JobId id) {
    return find(id).state();
  }

  protected boolean exists(JobId id) {
    return store.queries().find(Set.of(id)).containsKey(id);
  }

  protected long count(JobFilter filter, JobState state) {
    return store.queries().count(filter).of(state);
  }

  protected long countAll(JobFilter filter) {
    return store.queries().count(filter).total();
  }

  protected Staging.Report stage() {
    return store.staging().stage(PLENTY);
  }

  /**
   * Enqueues a job and brings it into a state through the store's methods. No other job of its
   * queue and task may be READY. For EXPIRED, time passes.
   */
  protected JobId bringTo(JobDraft draft, JobState state) {
    JobId id =
        enqueue(
            switch (state) {
              case SCHEDULED -> draft.dueIn(Duration.ofHours(1));
              case EXPIRED -> draft.startWithin(Duration.ofMinutes(1));
              default -> draft;
            });
    NewJob job = draft.build();
    switch (state) {
      case SCHEDULED, READY -> {}
      case CLAIMED -> helper(job).prefetchOne();
      case RUNNING -> helper(job).claimOne();
      case SUCCEEDED -> {
        Worker helper = helper(job);
        helper.succeed(helper.claimOne());
      }
      case FAILED -> {
        Worker helper = helper(job);
        helper.failPermanently(helper.claimOne());
      }
      case CANCELLED -> store.control().cancel(id);
      case WAITING, ON_HOLD ->
          throw new IllegalArgumentException("Only a step of a run can be " + state);
      case EXPIRED -> {
        passTime(Duration.ofMinutes(2));
        stage();
      }
    }
    assertThat(stateOf(id)).isEqualTo(state);
    return id;
  }

  private Worker helper(NewJob job) {
    return Worker.join(store, "helper", job.content().queue(), job.content().task());
  }
}
