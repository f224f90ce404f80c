package dev.holdfast.postgres.trigger;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.trigger.Published.Decision;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.EventIntake.Plan;
import dev.holdfast.engine.store.EventIntake.Start;
import dev.holdfast.engine.store.EventIntake.Started;
import dev.holdfast.engine.store.EventIntake.SubjectRules;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.trigger.SubjectState;
import dev.holdfast.engine.trigger.SubjectState.Step;
import dev.holdfast.postgres.intake.Candidate;
import dev.holdfast.postgres.intake.PgIntake;
import dev.holdfast.postgres.trigger.EventStatements.Subject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one event inside one transaction.
 *
 * <p>Subjects are locked first, in the order of their triggers. Keys are taken afterwards, in the
 * same order as by all other new jobs. So two events cannot deadlock.
 */
final class EventTransaction {
  private final EventStatements statements;
  private final Connection connection;
  private final Map<String, Started> results = new HashMap<>();
  private final List<Opening> openings = new ArrayList<>();

  /**
   * A job to be created.
   *
   * @param state the state to store for its subject; null if there is none
   */
  private record Opening(Start start, NewJob job, @Nullable SubjectState state) {}

  /** The results, and the jobs that were created. */
  record Done(List<Started> results, List<NewJob> jobs, List<Admission> admissions) {}

  EventTransaction(EventStatements statements, Connection connection) {
    this.statements = statements;
    this.connection = connection;
  }

  Done publish(String event, Plan plan) throws SQLException {
    List<Trigger> listening = statements.listening(connection, event);
    List<Start> starts = listening.isEmpty() ? List.of() : plan.of(listening);
    for (Start start : starts) {
      SubjectRules rules = start.rules();
      if (rules != null) {
        statements.lock(connection, start.trigger(), rules.subject());
      }
    }
    for (Start start : starts) {
      SubjectRules rules = start.rules();
      if (rules == null) {
        openings.add(new Opening(start, start.job(), null));
      } else {
        judge(start, rules);
      }
    }
    List<NewJob> jobs = openings.stream().map(Opening::job).toList();
    List<Admission> admissions =
        jobs.isEmpty() ? List.of() : PgIntake.admit(statements.intake(), connection, jobs);
    for (int i = 0; i < jobs.size(); i++) {
      settle(openings.get(i), admissions.get(i));
    }
    return new Done(
        starts.stream().map(start -> Objects.requireNonNull(results.get(start.trigger()))).toList(),
        jobs,
        admissions);
  }

  private void judge(Start start, SubjectRules rules) throws SQLException {
    Subject subject = statements.read(connection, start.trigger(), rules.subject());
    JobId own = start.job().id();
    JobId holder = holder(start);
    switch (subject.state().decide(rules, own, holder, subject.now())) {
      case Step.Repeat repeat -> decided(start, rules.made(), own);
      case Step.Duplicate(JobId job) -> decided(start, Decision.DEDUPLICATED, job);
      case Step.Cool(JobId job) -> decided(start, Decision.IN_COOLDOWN, job);
      case Step.Postpone(JobId job, Instant firesAt) -> {
        if (statements.postpone(connection, start, job, firesAt)) {
          statements.moveKey(connection, start, job, subject.key(), firesAt);
          remember(start, rules, new SubjectState(job, subject.state().since(), firesAt));
          decided(start, Decision.DEBOUNCED, job);
        } else if (holder != null) {
          decided(start, Decision.DEDUPLICATED, holder);
        } else {
          open(start, rules.quietEnd(subject.now(), subject.now()), subject.now());
        }
      }
      case Step.Open(Instant firesAt) -> open(start, firesAt, subject.now());
    }
  }

  private @Nullable JobId holder(Start start) throws SQLException {
    Candidate.FullKey key = new Candidate(0, start.job()).fullKey();
    return statements.intake().keys().holders(connection, Set.of(key), true).get(key);
  }

  private void open(Start start, Instant firesAt, Instant now) {
    openings.add(
        new Opening(
            start, start.jobAt(firesAt, now), new SubjectState(start.job().id(), now, firesAt)));
  }

  /**
   * Records the result for a job. A job that was created before counts as created now: this is a
   * repeat after a lost reply.
   */
  private void settle(Opening opening, Admission admission) throws SQLException {
    Start start = opening.start();
    if (!admission.id().equals(start.job().id())) {
      decided(start, Decision.DEDUPLICATED, admission.id());
      return;
    }
    SubjectRules rules = start.rules();
    if (rules != null && opening.state() != null) {
      remember(start, rules, opening.state());
    }
    decided(start, rules == null ? Decision.STARTED : rules.made(), admission.id());
  }

  private void remember(Start start, SubjectRules rules, SubjectState state) throws SQLException {
    statements.remember(connection, start, rules.subject(), state, SubjectState.mattersFor(rules));
  }

  private void decided(Start start, Decision decision, JobId job) {
    results.put(start.trigger(), new Started(start.trigger(), decision, job));
  }
}
