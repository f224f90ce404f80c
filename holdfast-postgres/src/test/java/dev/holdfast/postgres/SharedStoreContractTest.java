package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.liveness.Membership;
import dev.holdfast.tck.contract.ClaimContract;
import dev.holdfast.tck.contract.Contract;
import dev.holdfast.tck.contract.FinishContract;
import dev.holdfast.tck.contract.GuaranteeContract;
import dev.holdfast.tck.contract.IntakeContract;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.contract.ScheduleContract;
import dev.holdfast.tck.contract.StartContract;
import dev.holdfast.tck.contract.StoreFixture;
import dev.holdfast.tck.contract.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * A store of one of many tenants: on shared connections, with nodes that belong to a process. What
 * it promises about heartbeats, silence and takeover is that of the process, in holdfast-server.
 */
class SharedStoreContractTest {
  private static PostgresFixture fixture;
  private static SharedConnections connections;
  private static PostgresStore store;
  private static volatile @Nullable Integer maxHeld;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    connections = SharedConnections.open(fixture.settings().poolSize(8).build());
    Membership none =
        new Membership() {
          @Override
          public @Nullable UUID join(Handle transaction, UUID incarnation) {
            return null;
          }

          @Override
          public boolean staysRegistered() {
            return false;
          }
        };
    // Tests use several connections at once, a tenant only those of its pool.
    store = PostgresStore.sharing(connections, 1, "holdfast", none, () -> maxHeld);
  }

  @AfterAll
  static void close() {
    store.close();
    connections.close();
    fixture.close();
  }

  private static StoreFixture emptied() {
    fixture.emptied();
    return new StoreFixture() {
      @Override
      public Store store() {
        return store;
      }

      @Override
      public void passTime(Duration time) {
        fixture.passTime(time);
      }
    };
  }

  @Nested
  class IntakeFacts extends IntakeContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class ClaimFacts extends ClaimContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class StartFacts extends StartContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class FinishFacts extends FinishContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class ScheduleFacts extends ScheduleContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  @Nested
  class GuaranteeFacts extends GuaranteeContract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }
  }

  /** The limit of a tenant, for all nodes of all servers together. */
  @Nested
  class MaxHeldFacts extends Contract {
    @Override
    protected StoreFixture newFixture() {
      return emptied();
    }

    @BeforeEach
    void aLimitedTenantWithManyJobs() {
      enqueueAll(IntStream.range(0, 40).mapToObj(n -> job()).toArray(JobDraft[]::new));
      maxHeld = 3;
    }

    @AfterEach
    void noLimit() {
      maxHeld = null;
    }

    @Test
    void theLimitAppliesAcrossNodesAndQueues() {
      enqueueAll(job().queue("other"));
      assertThat(worker("one").claim(2)).hasSize(2);
      assertThat(worker("two").claim(2)).hasSize(1);
      assertThat(worker("three").claimFrom("other", 2, 0, null)).isEmpty();
    }

    @Test
    void aLimitOfTheQueueAppliesToo() {
      store.queues().limit(QUEUE, 2);
      assertThat(worker("one").claim(5, 0, 2)).hasSize(2);
      store.queues().limit(QUEUE, 10);
      assertThat(worker("two").claim(5, 0, 10)).hasSize(1);
    }

    @Test
    void aJobThatHasEndedMakesRoom() {
      Worker one = worker("one");
      List<ClaimedJob> held = one.claim(5);
      one.succeed(held.getFirst());
      assertThat(worker("two").claim(5)).hasSize(1);
    }

    @Test
    void nodesThatClaimAtTheSameTimeDoNotExceedIt() throws Exception {
      List<Worker> workers = IntStream.range(0, 4).mapToObj(n -> worker("node-" + n)).toList();
      for (int round = 0; round < 10; round++) {
        List<Future<List<ClaimedJob>>> claims = new ArrayList<>();
        CyclicBarrier together = new CyclicBarrier(workers.size());
        List<List<ClaimedJob>> held = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(workers.size())) {
          for (Worker one : workers) {
            claims.add(
                threads.submit(() -> {
                  together.await();
                  return one.claim(2);
                }));
          }
          for (Future<List<ClaimedJob>> claim : claims) {
            held.add(claim.get());
          }
        }
        assertThat(held.stream().mapToInt(List::size).sum()).as("in round %d", round).isEqualTo(3);
        for (int i = 0; i < held.size(); i++) {
          held.get(i).forEach(workers.get(i)::succeed);
        }
      }
    }
  }
}
