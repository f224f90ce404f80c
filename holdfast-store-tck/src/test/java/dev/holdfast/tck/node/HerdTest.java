package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which nodes act at once when all receive the same signal. The nodes have no threads. */
class HerdTest {
  private static final int NODES = 20;
  private static final TaskType<String, Void> TASK = TaskType.of("test::task", String.class);

  private final FaultyStore store = new FaultyStore(new InMemoryStore(InstantSource.system()));
  private final ClusterCoordinator coordinator = ClusterCoordinator.withinProcess();
  private final List<ManualRole<?>> roles = new ArrayList<>();
  private final List<HoldfastNode> nodes = new ArrayList<>();
  private Moment now = new Moment(0);
  private HoldfastClient client;

  /** A role that ticks when the test says so. */
  private final class ManualRole<R extends Role> implements Driver.Driven<R> {
    final R role;
    int wakes;
    Moment next = Moment.NEVER;

    ManualRole(Function<Waker, R> role) {
      this.role = role.apply(this);
    }

    @Override
    public R role() {
      return role;
    }

    @Override
    public void start() {
      next = now;
    }

    @Override
    public void wake() {
      wakes++;
      next = now;
    }

    @Override
    public void stop() {
      next = Moment.NEVER;
    }

    @Override
    public boolean hasEnded() {
      return next.equals(Moment.NEVER);
    }
  }

  @BeforeEach
  void start() {
    for (int i = 0; i < NODES; i++) {
      Driver driver =
          new Driver() {
            @Override
            public <R extends Role> Driver.Driven<R> drive(
                Function<Waker, R> role, Runnable entering) {
              ManualRole<R> driven = new ManualRole<>(role);
              roles.add(driven);
              return driven;
            }
          };
      nodes.add(
          HoldfastNode.on(store)
              .id("node-" + i)
              .coordinator(coordinator)
              .environment(
                  new Environment(
                      driver, () -> now, UuidCreator::getTimeOrderedEpoch, new Random(i)))
              .shutdownGrace(Duration.ZERO)
              .handle(TASK, (payload, context) -> null)
              .start());
    }
    client = HoldfastClient.on(store, new JsonCodec(), ClientSettings.DEFAULT, coordinator);
    run("sampler");
    now = now.plus(Duration.ofSeconds(15));
    run("sampler");
  }

  @AfterEach
  void close() {
    client.close();
    nodes.forEach(HoldfastNode::close);
  }

  /** Ticks all due roles of this name. */
  private void run(String name) {
    for (ManualRole<?> driven : List.copyOf(roles)) {
      if (driven.role.name().startsWith(name) && !now.isBefore(driven.next)) {
        driven.next = driven.role.tick(now);
      }
    }
  }

  private int wakeupsOfClaimers() {
    return roles.stream()
        .filter(driven -> driven.role.name().startsWith("claimer"))
        .mapToInt(driven -> driven.wakes)
        .sum();
  }

  private int newWakes(Runnable step) {
    int before = wakeupsOfClaimers();
    step.run();
    return wakeupsOfClaimers() - before;
  }

  @Test
  void aNewJobWakesAFewNodesAtOnceAndTheOthersSoon() {
    int atOnce = 0;
    for (int i = 0; i < 50; i++) {
      atOnce += newWakes(() -> client.enqueue(TASK, "x"));
    }

    assertThat(atOnce).isBetween(2 * 50, 8 * 50);
    int later =
        newWakes(() -> {
          run("wakeups");
          now = now.plus(Duration.ofMillis(100));
          run("wakeups");
        });
    assertThat(later)
        .as("regardless of how many jobs were announced meanwhile")
        .isBetween(15, NODES);
  }

  @Test
  void manyNewJobsWakeEveryNodeAtOnce() {
    List<JobRequest<String, Void>> jobs = Collections.nCopies(NODES, JobRequest.of(TASK, "x"));

    assertThat(newWakes(() -> client.enqueueAll(jobs))).isEqualTo(NODES);
  }

  @Test
  void aNodeThatEnqueuesAJobClaimsAtOnce() {
    for (HoldfastNode node : nodes) {
      ManualRole<?> own =
          roles.stream()
              .filter(driven -> driven.role.name().startsWith("claimer"))
              .toList()
              .get(nodes.indexOf(node));
      int before = own.wakes;

      node.client().enqueue(TASK, "x");

      assertThat(own.wakes).isGreaterThan(before);
    }
  }

  @Test
  void whenAJobIsDueAFewNodesClaimAtOnce() {
    run("stager");
    client.enqueue(TASK, "x", job -> job.runIn(Duration.ofSeconds(30)));
    run("stager");
    long before = store.calls(StoreMethod.STAGE);

    now = now.plus(Duration.ofSeconds(30));
    run("stager");
    long atOnce = store.calls(StoreMethod.STAGE) - before;
    now = now.plus(Duration.ofMillis(100));
    run("stager");

    assertThat(atOnce).isBetween(1L, 10L);
    assertThat(store.calls(StoreMethod.STAGE) - before).isGreaterThanOrEqualTo(NODES);
  }
}
