package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
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

  /** Adds a job to the plan and returns its id. */
  JobId create(int step, int item, Graph.JobTemplate template, @Nullable String payload) {
    RunFacts facts = draft.facts();
    JobId id = new JobId(ids.get());
    NewJob job =
        new NewJob(
            id,
            template.task(),
            template.queue(),
            facts.priority() != null ? facts.priority() : template.priority(),
            When.NOW,
            payload,
            null,
            template.tags(),
            template.policy(),
            template.startWithin(),
            NewJob.IdUse.FRESH,
            new NewJob.Stamp(facts.stack(), null, null, new StepRef(facts.id(), step, item)));
    draft.job(new RunPlan.Job(step, item, job));
    return id;
  }
}
