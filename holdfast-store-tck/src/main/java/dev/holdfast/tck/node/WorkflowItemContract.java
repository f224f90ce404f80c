package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.MapStep;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunItem;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What is read of the elements of maps, and labels. */
public abstract class WorkflowItemContract extends WorkflowNodeBase {
  /** An element. */
  public record Order(String id, int cents) {}

  /** An input. */
  public record Batch(List<Order> orders) {}

  private static final TaskType<Order, Integer> CHARGE =
      TaskType.of("item::charge", Order.class, Integer.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(1)));
  private static final TaskType<Integer, Integer> ADD =
      TaskType.of("item::add", Integer.class, Integer.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(1)));

  private static final Workflow<Batch, Void> FLOW =
      Workflow.define(
          "item::flow",
          Batch.class,
          flow -> {
            MapStep<Integer> charges =
                flow.map("charges", CHARGE, flow.context("orders", new TypeRef<List<Order>>() {}))
                    .labelItems("id")
                    .tolerateFailures(1);
            charges.label("Charge all orders");
            flow.map("added", ADD, charges).tolerateFailures(1);
          });

  private static final Batch BATCH =
      new Batch(List.of(new Order("o-1", 1), new Order("o-2", -1), new Order("o-3", 3)));

  @Test
  void elementsAreReadWithTheirLabelsAndOutcomes() {
    start(
        node()
            .handle(
                CHARGE,
                (order, context) -> {
                  if (order.cents() < 0) {
                    throw new IllegalStateException("declined");
                  }
                  return order.cents();
                })
            .handle(ADD, (number, context) -> number + 1));

    RunId id = client().runs().start(FLOW, BATCH).id();
    Run run = await(id, RunState.SUCCEEDED);

    List<RunItem> charges = client().runs().items(id, "charges");
    assertThat(charges).extracting(RunItem::label).containsExactly("o-1", "o-2", "o-3");
    assertThat(charges).extracting(RunItem::position).containsExactly(0, 1, 2);
    assertThat(charges)
        .extracting(RunItem::state)
        .containsExactly(StepState.SUCCEEDED, StepState.FAILED, StepState.SUCCEEDED);
    assertThat(charges.get(1).failure().orElseThrow()).contains("TASK_FAILED", "declined");
    assertThat(charges.get(1).output()).isEmpty();
    assertThat(charges.get(2).output()).contains("3");
    assertThat(charges.get(2).failure()).isEmpty();
    assertThat(charges.get(2).input()).isEqualTo("{\"id\":\"o-3\",\"cents\":3}");
    assertThat(step(run, "charges").label()).isEqualTo("Charge all orders");
    assertThat(step(run, "added").label()).isEqualTo("added");
    assertThat(client().runs().items(id, "added"))
        .extracting(RunItem::label)
        .containsExactly("0", "1", "2");
    assertThat(client().runs().items(id, "added"))
        .extracting(RunItem::input)
        .containsExactly("1", "null", "3");
  }

  @Test
  void elementsOfAMapThatRunsAreActiveOrPending() {
    Workflow<Batch, Void> one =
        Workflow.define(
            "item::one",
            Batch.class,
            flow ->
                flow.map("charges", CHARGE, flow.context("orders", new TypeRef<List<Order>>() {}))
                    .concurrency(1)
                    .labelItems("id"));
    CountDownLatch release = new CountDownLatch(1);
    start(
        node()
            .handle(
                CHARGE,
                (order, context) -> {
                  if (order.id().equals("o-2")) {
                    release.await();
                  }
                  return order.cents();
                }));
    RunId id = client().runs().start(one, BATCH).id();

    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(client().runs().items(id, "charges"))
                .extracting(RunItem::state)
                .containsExactly(StepState.SUCCEEDED, StepState.ACTIVE, StepState.PENDING));
    release.countDown();
    await(id, RunState.SUCCEEDED);
  }

  @Test
  void onlyMapsHaveElements() {
    Workflow<Integer, Void> plain =
        Workflow.define("item::plain", Integer.class, flow -> flow.step("only", ADD, flow.input()));
    RunId id = client().runs().start(plain, 1).id();

    assertThatThrownBy(() -> client().runs().items(id, "only"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'only'")
        .hasMessageContaining(id.toString());
    assertThatThrownBy(() -> client().runs().items(id, "other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'other'")
        .hasMessageContaining(id.toString());
  }
}
