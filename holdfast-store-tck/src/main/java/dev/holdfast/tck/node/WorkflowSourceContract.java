package dev.holdfast.tck.node;

import static dev.holdfast.api.trigger.Condition.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.Page;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.schedule.FireResult;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What runs know about the schedule, the trigger or the job that started them. */
public abstract class WorkflowSourceContract extends WorkflowNodeBase {
  /** The input of a run, which has fewer fields than the event. */
  public record Order(String id, int cents) {}

  /** What is published. */
  public record Paid(String id, int cents, String bank) {}

  private static final TaskType<Map<String, Object>, Void> LOOK =
      TaskType.of("source::look", new TypeRef<Map<String, Object>>() {}, TypeRef.of(Void.class))
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(1)));

  private static final Workflow<Order, Void> FLOW =
      Workflow.define(
          "source::flow",
          Order.class,
          flow -> {
            Step<Void> first = flow.step("first", LOOK);
            flow.step("second", LOOK).after(first);
            flow.step("paid", LOOK)
                .after(first)
                .when(Rule.context(field("event.name").is("order.paid")));
          });

  private final Queue<Map<String, Object>> seen = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean broken = new AtomicBoolean();

  private NodeBuilder worker() {
    return node()
        .workflow(FLOW)
        .handle(
            LOOK,
            (context, attempt) -> {
              if (broken.get()) {
                throw new IllegalStateException("broken");
              }
              seen.add(context);
            });
  }

  private Run onlyRun(RunState state) {
    Awaitility.await()
        .atMost(SOON)
        .until(() -> client().runs().list(RunFilter.all(), Page.first(5)).size() == 1);
    return await(client().runs().list(RunFilter.all(), Page.first(5)).getFirst().id(), state);
  }

  private void publishPaid() {
    client()
        .triggers()
        .put(
            Trigger.named("when-paid")
                .on("order.paid")
                .subject("id")
                .cooldown(Duration.ofMinutes(1))
                .start(FLOW.starter())
                .build());
    client().publish("order.paid", new Paid("o-1", 250, "Sparkasse"));
  }

  @Test
  void aRunThatATriggerStartedKnowsTheTriggerAndTheEvent() {
    start(worker());
    publishPaid();

    Run run = onlyRun(RunState.SUCCEEDED);

    assertThat(step(run, "paid").state()).isEqualTo(StepState.SUCCEEDED);
    assertThat(seen)
        .hasSize(3)
        .allSatisfy(context -> {
          assertThat(context).containsEntry("trigger", Map.of("name", "when-paid"));
          assertThat(context)
              .containsEntry(
                  "event",
                  Map.of(
                      "name",
                      "order.paid",
                      "subject",
                      "o-1",
                      "payload",
                      Map.of("id", "o-1", "cents", 250, "bank", "Sparkasse")));
          assertThat(context).containsEntry("cents", 250).doesNotContainKeys("bank", "schedule");
        });
  }

  @Test
  void theEventIsThereAfterARetryAndInARerunWithAnotherInput() {
    broken.set(true);
    start(worker());
    publishPaid();
    Run failed = onlyRun(RunState.FAILED);
    broken.set(false);

    client().runs().retry(failed.id());
    Run retried = await(failed.id(), RunState.SUCCEEDED);
    assertThat(step(retried, "paid").state()).isEqualTo(StepState.SUCCEEDED);
    assertThat(seen).hasSize(3).allMatch(context -> context.containsKey("event"));

    seen.clear();
    RunId again = client().runs().rerun(failed.id(), List.of(), "{\"id\":\"o-2\",\"cents\":1}");
    await(again, RunState.SUCCEEDED);
    assertThat(seen)
        .hasSize(3)
        .allSatisfy(context -> {
          assertThat(context).containsEntry("id", "o-2");
          assertThat(String.valueOf(context.get("event"))).contains("o-1", "Sparkasse");
        });
  }

  @Test
  void aRunThatAScheduleStartedKnowsTheScheduleAndTheDueTime() {
    start(worker());
    Instant before = Instant.now();
    client()
        .schedules()
        .put(
            Schedule.named("often")
                .runs(FLOW.starter(), new Order("o-1", 1))
                .every(Duration.ofSeconds(1))
                .until(before.plusSeconds(60))
                .build());
    Awaitility.await().atMost(SOON).until(() -> !seen.isEmpty());
    client().schedules().cancel("often");

    Map<String, Object> context = seen.element();
    assertThat(context).doesNotContainKeys("trigger", "event");
    assertThat(context.get("schedule"))
        .isInstanceOfSatisfying(
            Map.class,
            schedule -> {
              assertThat(schedule.get("name")).isEqualTo("often");
              assertThat(Instant.parse(String.valueOf(schedule.get("due"))))
                  .isBetween(before.minusSeconds(2), Instant.now().plusSeconds(2));
            });
    assertThat(client().runs().list(RunFilter.all(), Page.first(1)).getFirst().steps())
        .isNotEmpty();
  }

  @Test
  void aScheduleThatIsFiredByRequestHasNoDueTime() {
    start(worker());
    client()
        .schedules()
        .put(
            Schedule.named("yearly")
                .runs(FLOW.starter(), new Order("o-1", 1))
                .cron("0 0 1 1 *")
                .build());
    assertThat(client().schedules().fire("yearly")).isInstanceOf(FireResult.Fired.class);

    Run run = onlyRun(RunState.SUCCEEDED);

    assertThat(step(run, "paid").state()).isEqualTo(StepState.SKIPPED);
    assertThat(seen)
        .hasSize(2)
        .allSatisfy(
            context -> assertThat(context).containsEntry("schedule", Map.of("name", "yearly")));
  }

  @Test
  void aRunThatAClientStartedHasNeither() {
    start(worker());

    await(client().runs().start(FLOW, new Order("o-1", 1)).id(), RunState.SUCCEEDED);

    assertThat(seen)
        .hasSize(2)
        .allSatisfy(
            context -> assertThat(context).doesNotContainKeys("schedule", "trigger", "event"));
  }

  private static final Workflow<Order, Void> SLEEPY =
      Workflow.define(
          "source::sleepy",
          Order.class,
          flow -> {
            Step<Void> nap = flow.sleep("nap", Duration.ofMillis(50));
            Step<Void> look = flow.step("look", LOOK).after(nap);
            flow.workflow("child", FLOW, flow.input()).after(look);
          });

  @Test
  void theJobsOfARunBelongToTheStackThatStartedIt() {
    HoldfastNode blue = start(worker().stack("blue"));
    start(node()); // May advance the run, too, and has no stack.

    RunId id = blue.client().runs().start(SLEEPY, new Order("o-1", 1)).id();
    Run run = await(id, RunState.SUCCEEDED);

    assertThat(job(step(run, "look").job().orElseThrow()).stack()).isEqualTo("blue");
    Run child = read(step(run, "child").child().orElseThrow());
    assertThat(job(step(child, "second").job().orElseThrow()).stack()).isEqualTo("blue");
    Run again = await(client().runs().rerun(id, List.of(), null), RunState.SUCCEEDED);
    assertThat(job(step(again, "look").job().orElseThrow()).stack()).isEqualTo("blue");
  }

  @Test
  void aRunThatAJobStartedBelongsToTheStackOfTheJob() {
    HoldfastNode green = start(node().stack("green").mode(NodeMode.TRIGGER_ONLY));
    start(worker().stack("blue").serveAllStacks());

    RunId id = new RunId(green.client().enqueue(FLOW.starter(), new Order("o-1", 1)).id().value());
    Awaitility.await().atMost(SOON).until(() -> client().runs().find(id).isPresent());
    Run run = await(id, RunState.SUCCEEDED);

    assertThat(job(step(run, "second").job().orElseThrow()).stack()).isEqualTo("green");
  }
}
