package dev.holdfast.tck.node;

import dev.holdfast.engine.store.Store;
import org.junit.jupiter.api.Nested;

/**
 * The complete contract of a node on a store. Extend it and supply a new, empty store for each
 * test. The subclass closes the store.
 */
public abstract class NodeContract {

  /** Returns an empty store. Called once by each test. */
  protected abstract Store freshStore();

  @Nested
  class Express extends ExpressContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class EarlyClaims extends EarlyClaimContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Stranded extends StrandedContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Modules extends ModuleContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class RollingWorkflows extends RollingWorkflowContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class MapRules extends MapRulesContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class RunReplays extends RunReplayContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Running extends RunningContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Workflows extends WorkflowContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class WorkflowSizes extends WorkflowSizeContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class WorkflowSources extends WorkflowSourceContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class WorkflowWaits extends WorkflowWaitContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class WorkflowJournals extends WorkflowJournalContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class WorkflowItems extends WorkflowItemContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class WorkflowErrors extends WorkflowErrorContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class TypedClients extends TypedClientContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Contexts extends ContextContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Interceptors extends InterceptorContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Payloads extends PayloadContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Capacity extends CapacityContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class JobMeters extends MeterContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class ManyQueues extends ManyQueuesContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Crashes extends CrashNodeContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Breakers extends BreakerNodeContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class LostReplies extends LostReplyContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class HoldingLeases extends HoldingLeasesContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class LeaseSettings extends LeaseSettingsContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Events extends EventContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Promises extends NodeGuaranteeContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Liveness extends LivenessContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Takeover extends TakeoverContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Stopping extends StoppingContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Hung extends HungContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Rolling extends RollingContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Stacks extends StackContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class SingleNode extends SingleNodeContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Listeners extends ListenerContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Recurring extends RecurringContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Clients extends ClientContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class UserCode extends UserCodeContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class Prefetching extends PrefetchContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class DurableSteps extends DurableStepsContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class WaitingSteps extends WaitingStepsContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }

  @Nested
  class JournalMismatches extends JournalMismatchContract {
    private final Store store = freshStore();

    @Override
    protected Store store() {
      return store;
    }
  }
}
