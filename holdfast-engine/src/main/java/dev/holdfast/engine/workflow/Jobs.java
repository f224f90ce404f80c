package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.codec.JobTrace;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.FormerJob;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the jobs of steps. */
final class Jobs {
  private final Draft draft;
  private final Supplier<UUID> ids;

  Jobs(Draft draft, Supplier<UUID> ids) {
    this.draft = draft;
    this.ids = ids;
  }

  /**
   * Returns the id of a job that failed before, if it continues. With another payload, because a
   * step before it ran again, its journal would be about something else.
   */
  private JobId idOf(int step, int item, String task, @Nullable String payload) {
    FormerJob former = item == StepRef.NO_ITEM ? draft.facts().former().get(step) : null;
    return former != null && former.task().equals(task) && Objects.equals(former.payload(), payload)
        ? former.id()
        : new JobId(ids.get());
  }

  /** Adds a job to the plan and returns its id. */
  JobId create(int step, int item, Graph.JobTemplate template, @Nullable String payload) {
    RunFacts facts = draft.facts();
    JobId id = idOf(step, item, template.task(), payload);
    NewJob job =
        new NewJob(
            id,
            NewJob.IdUse.FRESH,
            When.NOW,
            null,
            new NewJob.Content(
                template.task(),
                template.queue(),
                facts.priority() != null ? facts.priority() : template.priority(),
                payload,
                template.tags(),
                JobTrace.with(template.policy(), JobTrace.read(facts.source().startedBy())),
                template.startWithin(),
                new NewJob.Stamp(
                    facts.source().stack(), null, null, new StepRef(facts.id(), step, item))));
    draft.job(new RunPlan.Job(step, item, job));
    return id;
  }
}
