package dev.holdfast.engine.workflow;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the graphs of the workflows that a node knows, when the node starts. */
public final class WorkflowRegistrar implements Role {
  private static final Logger log = LoggerFactory.getLogger(WorkflowRegistrar.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final WorkflowCatalog catalog;
  private final List<Workflow<?, ?>> workflows;
  private volatile boolean done;

  public WorkflowRegistrar(WorkflowCatalog catalog, List<Workflow<?, ?>> workflows) {
    this.catalog = catalog;
    this.workflows = List.copyOf(workflows);
  }

  @Override
  public String name() {
    return "workflow-registrar";
  }

  /** Returns whether all are stored. */
  public boolean isDone() {
    return done;
  }

  @Override
  public Moment tick(Moment now) {
    try {
      workflows.forEach(catalog::register);
      done = true;
      return Moment.NEVER;
    } catch (StoreException failure) {
      log.warn(
          "Workflows could not be registered, retrying in {}: {}",
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
      return now.plus(AFTER_FAILURE);
    }
  }
}
