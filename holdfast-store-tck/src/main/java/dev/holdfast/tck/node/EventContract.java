package dev.holdfast.tck.node;

import static dev.holdfast.api.trigger.Condition.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Published.Decision;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Published events start jobs on nodes that handle their tasks. */
public abstract class EventContract extends NodeTestBase {
  private static final String EVENT = "note.written";

  private static Trigger.Builder echo() {
    return Trigger.named("echo").on(EVENT).start(ECHO);
  }

  @Test
  void anEventStartsAJobOnANodeThatKnowsTheTask() throws Exception {
    start(node().handle(ECHO, (note, context) -> note.text()).trigger(echo().build()));

    Published published = client().publish(EVENT, Map.of("text", "hello", "extra", 1));

    assertThat(published.matched()).isEqualTo(1);
    assertThat(client().await(published.started().get(0), String.class, SOON)).isEqualTo("hello");
    assertThat(client().publish(EVENT, Map.of("extra", 1, "text", "hello")).started()).isEmpty();
  }

  @Test
  void aDebouncedEventRunsOnceWithTheLastPayload() throws Exception {
    start(
        node()
            .handle(ECHO, (note, context) -> note.text())
            .trigger(echo().debounce(Duration.ofMillis(500)).build()));

    client().publish(EVENT, new Note("one"));
    Published last = client().publish(EVENT, new Note("two"));

    assertThat(last.of(Decision.DEBOUNCED)).hasSize(1);
    JobId job = Objects.requireNonNull(last.outcomes().get(0).job());
    assertThat(client().await(job, String.class, SOON)).isEqualTo("two");
  }

  @Test
  void aLostReplyToAPublishDoesNotStartAJobTwice() {
    FaultyStore faulty = new FaultyStore(store()).loseReply(StoreMethod.PUBLISH);
    client().triggers().put(echo().build());
    try (HoldfastClient unlucky = HoldfastClient.on(faulty)) {
      assertThat(unlucky.publish(EVENT, new Note("x")).started()).hasSize(1);
    }
    assertThat(faulty.allFaultsHappened()).isTrue();
    assertThat(client().count(JobFilter.all()).byState()).isEqualTo(Map.of(JobState.READY, 1L));
  }

  @Test
  void triggersAreManagedByTheClient() {
    client().triggers().put(echo().build());
    assertThat(client().triggers().pause("echo")).isTrue();
    assertThat(client().publish(EVENT, new Note("x")).matched()).isZero();
    assertThat(client().triggers().resume("echo")).isTrue();
    assertThat(client().publish(EVENT, new Note("x")).matched()).isEqualTo(1);
    assertThat(client().triggers().list()).hasSize(1);
    assertThat(client().triggers().delete("echo")).isTrue();
    assertThat(client().triggers().find("echo")).isEmpty();
    assertThat(client().triggers().pause("echo")).isFalse();
    assertThat(client().triggers().resume("echo")).isFalse();
    assertThat(client().triggers().delete("echo")).isFalse();
  }

  @Test
  void invalidTriggersAndEventsAreRejectedWithTheValueAndTheRemedy() {
    assertThatThrownBy(() -> client().publish("Note Written", new Note("x")))
        .hasMessageContaining("'Note Written'")
        .hasMessageContaining("resource.updated");
    assertThatThrownBy(() -> Trigger.named("Echo!")).hasMessageContaining("'Echo!'");
    assertThatThrownBy(() -> Trigger.named("echo").start(ECHO).build())
        .hasMessageContaining("'echo'")
        .hasMessageContaining("on(...)");
    assertThatThrownBy(() -> Trigger.named("echo").on(EVENT).build())
        .hasMessageContaining("start(...)");
    assertThatThrownBy(() -> echo().window(Duration.ZERO).build())
        .hasMessageContaining("0 s")
        .hasMessageContaining("positive");
    assertThatThrownBy(() -> echo().cooldown(Duration.ofDays(4_000)).build())
        .hasMessageContaining("3650 days");
    assertThatThrownBy(() -> echo().subject("id").build())
        .hasMessageContaining("'id'")
        .hasMessageContaining("debounce");
    assertThatThrownBy(() -> echo().maxWait(Duration.ofSeconds(1)).build())
        .hasMessageContaining("1 s")
        .hasMessageContaining("debounce");
    assertThatThrownBy(
            () -> echo().debounce(Duration.ofSeconds(2)).maxWait(Duration.ofSeconds(1)).build())
        .hasMessageContaining("1 s")
        .hasMessageContaining("2 s");
    assertThatThrownBy(() -> field("a..b")).hasMessageContaining("'a..b'");
    assertThatThrownBy(() -> field("a").is(new Note("x"))).hasMessageContaining("Note");
    assertThatThrownBy(() -> field("a").isGreaterThan(Double.NaN)).hasMessageContaining("NaN");
    assertThatThrownBy(() -> field("a").isOneOf()).hasMessageContaining("at least one");
    assertThat(client().count(JobFilter.all()).byState()).isEmpty();
    assertThat(client().triggers().list()).isEmpty();
  }
}
