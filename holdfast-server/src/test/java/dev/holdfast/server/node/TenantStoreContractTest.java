package dev.holdfast.server.node;

import dev.holdfast.tck.contract.ClaimContract;
import dev.holdfast.tck.contract.CrashContract;
import dev.holdfast.tck.contract.FinishGuardContract;
import dev.holdfast.tck.contract.GiveBackContract;
import dev.holdfast.tck.contract.NodeStoreContract;
import dev.holdfast.tck.contract.RecoveryContract;
import dev.holdfast.tck.contract.StoreFixture;
import dev.holdfast.tck.contract.UpkeepContract;
import dev.holdfast.tck.contract.WatchContract;
import java.lang.reflect.Method;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The topics of the store contract that are different in a tenant: who is alive, and who recovers
 * what. Heartbeats are those of processes, in the control schema.
 */
@ExtendWith(TenantStoreContractTest.Different.class)
class TenantStoreContractTest {
  /** What does not hold in tenants, and why. */
  private static final Map<String, String> DIFFERENT =
      Map.of(
          "aNodeMarkedDeadCanNeitherSendHeartbeatsNorClaim",
          "a process that is dead gets an error when it registers in a tenant",
          "registeringDoesNotReviveADeadIncarnation",
          "a process that is dead gets an error when it registers in a tenant",
          "theAdviceOfANodeAppliesToItsTasksAndStacks",
          "processes have no stack",
          "aNodeThatHasSentAHeartbeatSinceIsNotSilent",
          "nothing is taken back from a process before it is dead",
          "aNodeThatHoldsAJobOfAnyCallIsNeverForgotten",
          "servers delete processes that died a day ago, not the upkeep of a tenant",
          "aLookReturnsWhetherANodeHoldsJobs",
          "a heartbeat tells whether a process runs jobs",
          "eachHeartbeatIsKeptForTheRetentionOfItsNode",
          "past heartbeats of processes are not kept",
          "aHeartbeatReportsLostSlotsAndADeadNodeHasNone",
          "lost slots of processes are not stored");

  /** Leaves out what does not hold in tenants. */
  static final class Different implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context
          .getTestMethod()
          .map(Method::getName)
          .map(DIFFERENT::get)
          .map(ConditionEvaluationResult::disabled)
          .orElseGet(() -> ConditionEvaluationResult.enabled("holds in tenants too"));
    }
  }

  private static TenantStore tenant;

  @BeforeAll
  static void open() {
    tenant = new TenantStore();
  }

  @AfterAll
  static void close() {
    tenant.close();
  }

  @Nested
  class NodeFacts extends NodeStoreContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }

  @Nested
  class WatchFacts extends WatchContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }

  @Nested
  class RecoveryFacts extends RecoveryContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }

  @Nested
  class CrashFacts extends CrashContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }

  @Nested
  class ClaimFacts extends ClaimContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }

  @Nested
  class GiveBackFacts extends GiveBackContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }

  @Nested
  class FinishGuardFacts extends FinishGuardContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }

  @Nested
  class UpkeepFacts extends UpkeepContract {
    @Override
    protected StoreFixture newFixture() {
      return tenant.emptied();
    }
  }
}
