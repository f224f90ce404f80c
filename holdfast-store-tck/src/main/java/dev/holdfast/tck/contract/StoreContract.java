package dev.holdfast.tck.contract;

import org.junit.jupiter.api.Nested;

/** The complete contract, with one nested class for each topic. Extend it to run all tests. */
public abstract class StoreContract {

  /** Returns a fixture with an empty store. Called before each test. */
  protected abstract StoreFixture newFixture();

  @Nested
  class IntakeFacts extends IntakeContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class UniqueKeyFacts extends UniqueKeyContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class TriggerFacts extends TriggerContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class DebounceFacts extends DebounceContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class ClaimFacts extends ClaimContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class OrderFacts extends OrderContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class CrashFacts extends CrashContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class WatchFacts extends WatchContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class TaskLimitFacts extends TaskLimitContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class BreakerFacts extends BreakerContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class LimitFacts extends LimitContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class StartFacts extends StartContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class GiveBackFacts extends GiveBackContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class FinishFacts extends FinishContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class FinishGuardFacts extends FinishGuardContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RetryFacts extends RetryContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class StagingFacts extends StagingContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class CancelFacts extends CancelContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RequeueFacts extends RequeueContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class DeadLetterFacts extends DeadLetterContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class NoteFacts extends NoteContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class LookupFacts extends QueryContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class CountFacts extends CountContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class WaitReasonFacts extends WaitReasonContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class QueueFacts extends QueueContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class AllStacksFacts extends AllStacksContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class NodeFacts extends NodeStoreContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RecoveryFacts extends RecoveryContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class LeaseFacts extends LeaseContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class UpkeepFacts extends UpkeepContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class ScheduleFacts extends ScheduleContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class PromiseFacts extends GuaranteeContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunIntakeFacts extends RunIntakeContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunStartHereFacts extends RunStartHereContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunAdvanceFacts extends RunAdvanceContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunControlFacts extends RunControlContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunExpressFacts extends RunExpressContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunRetryFacts extends RunRetryContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunSignalFacts extends RunSignalContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunRepairFacts extends RunRepairContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class StuckRunFacts extends StuckRunContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunPayloadFacts extends RunPayloadContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunSizeFacts extends RunSizeContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunUpkeepFacts extends RunUpkeepContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class RunQueryFacts extends RunQueryContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class JournalFacts extends JournalContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }

  @Nested
  class ParkedStepFacts extends ParkedStepContract {
    @Override
    protected StoreFixture newFixture() {
      return StoreContract.this.newFixture();
    }
  }
}
