package dev.holdfast.testkit.assertion;

import static dev.holdfast.testkit.assertion.HoldfastAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Assertions about jobs, imported next to those of AssertJ. */
class HoldfastAssertionsTest {
  record Welcome(String email) {}

  private static final TaskType<Welcome, Void> WELCOME =
      TaskType.of("email::welcome", Welcome.class);
  private static final TaskType<Welcome, Void> GOODBYE =
      TaskType.of("email::goodbye", Welcome.class);

  private final InMemoryStore store = new InMemoryStore(InstantSource.system());
  private final Holdfast holdfast = HoldfastClient.on(store);

  @AfterEach
  void close() {
    holdfast.close();
    store.close();
  }

  private void enqueueSome() {
    holdfast.enqueue(WELCOME, new Welcome("ada"));
    holdfast.enqueue(WELCOME, new Welcome("bob"), job -> job.queue("mail").tags("signup", "eu"));
    holdfast.enqueue(WELCOME, new Welcome("bob"), job -> job.queue("mail").priority(9));
  }

  @Test
  void jobsThatWereEnqueuedAreFoundByEachCriterion() {
    enqueueSome();

    assertThat(holdfast).enqueued(WELCOME).times(3);
    assertThat(holdfast).enqueued(WELCOME).with(welcome -> welcome.email().equals("ada")).times(1);
    assertThat(holdfast).enqueued(WELCOME).withPayload(new Welcome("bob")).times(2);
    assertThat(holdfast).enqueued(WELCOME).inQueue("mail").times(2).withTag("eu").times(1);
    assertThat(holdfast).enqueued(WELCOME).matching(job -> job.priority() == 9).times(1);
    assertThat(holdfast).enqueued(WELCOME).notEnqueued(GOODBYE);
    assertThat(holdfast).notEnqueued(GOODBYE).enqueued(WELCOME);
    assertThat(assertThat(holdfast).enqueued(WELCOME).inQueue("mail").jobs()).hasSize(2);
  }

  @Test
  void jobsThatHaveEndedCountToo() {
    holdfast.cancel(holdfast.enqueue(WELCOME, new Welcome("ada")).id());

    assertThat(holdfast).enqueued(WELCOME).times(1);
  }

  @Test
  void moreJobsThanAPageContainsAreCounted() {
    List<JobRequest<Welcome, Void>> many = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      many.add(JobRequest.of(WELCOME, new Welcome("user" + i)));
    }
    holdfast.enqueueAll(many);

    assertThat(holdfast).enqueued(WELCOME).times(2_500);
  }

  @Test
  void aMissingJobFailsWithAListOfEnqueuedJobs() {
    enqueueSome();

    assertThatThrownBy(() -> assertThat(holdfast).enqueued(GOODBYE))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            """
            Expected a job of task 'email::goodbye', but there is none. Enqueued jobs, newest first:
              email::welcome {"email":"bob"} in queue 'mail', READY
              email::welcome {"email":"bob"} in queue 'mail', tags [eu, signup], READY
              email::welcome {"email":"ada"} in queue 'default', READY\
            """);
  }

  @Test
  void eachCriterionThatNoJobMeetsFailsAndIsNamed() {
    enqueueSome();

    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).with(welcome -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("a job of task 'email::welcome' with a matching payload, but");
    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).withPayload(new Welcome("eve")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("with payload Welcome[email=eve], but");
    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).inQueue("slow").withTag("eu"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("in queue 'slow', but");
    assertThatThrownBy(
            () -> assertThat(holdfast).enqueued(WELCOME).inQueue("default").withTag("eu"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("in queue 'default' with tag 'eu', but");
    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).matching(job -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("that meets the condition, but");
  }

  @Test
  void anotherNumberOfJobsFails() {
    enqueueSome();

    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).times(2))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("Expected 2 jobs of task 'email::welcome', but there are 3. Enq");
    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).withTag("eu").times(2))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("but there is 1.");
    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).times(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("notEnqueued");
  }

  @Test
  void aJobThatShouldNotBeThereFails() {
    enqueueSome();

    assertThatThrownBy(() -> assertThat(holdfast).notEnqueued(WELCOME))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("Expected no job of task 'email::welcome', but there are 3. Enq")
        .hasMessageContaining("{\"email\":\"ada\"}");
  }

  @Test
  void aChainedAssertionIsAboutItsOwnTask() {
    enqueueSome();
    holdfast.enqueue(GOODBYE, new Welcome("eve"));

    assertThat(holdfast)
        .enqueued(WELCOME)
        .times(3)
        .enqueued(GOODBYE)
        .withPayload(new Welcome("eve"))
        .times(1);
    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME).notEnqueued(GOODBYE))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("Expected no job of task 'email::goodbye', but there is 1.");
  }

  @Test
  void anEmptyStoreIsReportedAsSuchAndALongListIsCut() {
    assertThatThrownBy(() -> assertThat(holdfast).enqueued(WELCOME))
        .hasMessageEndingWith("there is none. Nothing was enqueued.");

    for (int i = 0; i < 21; i++) {
      holdfast.enqueue(WELCOME, new Welcome("user" + i));
    }

    assertThatThrownBy(() -> assertThat(holdfast).enqueued(GOODBYE))
        .hasMessageEndingWith("and more")
        .hasMessageContaining("user20")
        .hasMessageContaining("\"user1\"")
        .hasMessageNotContaining("\"user0\"");
  }

  @Test
  void payloadsAreDecodedWithTheCodecOfTheTest() {
    PayloadCodec plain =
        new PayloadCodec() {
          @Override
          public String encode(Object value) {
            return ((Welcome) value).email();
          }

          @Override
          @SuppressWarnings("unchecked") // The test decodes welcomes only.
          public <T> T decode(String text, TypeRef<T> type) {
            return (T) new Welcome(text);
          }
        };
    try (Holdfast client = HoldfastClient.on(store, plain, ClientSettings.DEFAULT)) {
      client.enqueue(WELCOME, new Welcome("ada"));

      assertThat(client).codec(plain).enqueued(WELCOME).withPayload(new Welcome("ada"));
    }
  }
}
