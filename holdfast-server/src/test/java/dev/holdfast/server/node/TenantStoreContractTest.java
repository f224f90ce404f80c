package dev.holdfast.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.tck.contract.ClaimContract;
import dev.holdfast.tck.contract.CrashContract;
import dev.holdfast.tck.contract.FinishGuardContract;
import dev.holdfast.tck.contract.GiveBackContract;
import dev.holdfast.tck.contract.NodeStoreContract;
import dev.holdfast.tck.contract.RecoveryContract;
import dev.holdfast.tck.contract.StoreFixture;
import dev.holdfast.tck.contract.UpkeepContract;
import dev.holdfast.tck.contract.WatchContract;
import dev.holdfast.tck.contract.Worker;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
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

  private static NodeStore.NodeRegistration process(String id) {
    return Worker.registration(id, Set.of("mail"), Set.of("mail::send"));
  }

  @Test
  void aDeadProcessCannotRegisterInATenantAndItsNodeThereIsDead() {
    NodeStore nodes = tenant.emptied().store().nodes();
    NodeStore.NodeRegistration process = process("node-1");
    nodes.register(process);
    assertThat(nodes.markDead(process.incarnation(), 0, Duration.ofSeconds(61))).isTrue();
    assertThat(tenant.number("holdfast_t1.node where state = 'ALIVE'")).isZero();
    assertThat(tenant.number("ctl.hold")).isZero();
    assertThatThrownBy(() -> nodes.register(process))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("declared this one dead");
    assertThat(tenant.number("holdfast_t1.node where state = 'ALIVE'")).isZero();
    assertThat(nodes.beat(process.incarnation(), 0)).isEmpty();
  }

  @Test
  void noProcessRegistersInATenantThatIsNotActive() {
    NodeStore nodes = tenant.emptied().store().nodes();
    tenant.execute("update ctl.tenant set state = 'SUSPENDED'");
    try {
      assertThatThrownBy(() -> nodes.register(process("node-1")))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("tenant is not active");
      assertThat(tenant.number("holdfast_t1.node")).isZero();
    } finally {
      tenant.execute("update ctl.tenant set state = 'ACTIVE'");
    }
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
