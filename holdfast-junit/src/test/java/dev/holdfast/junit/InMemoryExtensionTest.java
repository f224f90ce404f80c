package dev.holdfast.junit;

import static dev.holdfast.testkit.assertion.HoldfastAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.node.TestNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client and a node in memory for each test. */
class InMemoryExtensionTest {
  private static final List<String> welcomed = new ArrayList<>();

  @RegisterExtension
  static final HoldfastExtension holdfast =
      HoldfastExtension.inMemory()
          .configure(node -> node.queue("default", 1).queue("mail", 1))
          .handle(
              Welcome.TASK,
              (welcome, context) -> {
                welcomed.add(welcome.email());
                return "Hello " + welcome.email();
              });

  @BeforeEach
  void forget(Holdfast client) {
    assertThat((Object) holdfast.client()).isSameAs(client);
    welcomed.clear();
  }

  @AfterEach
  void theClientIsStillThere(Holdfast client) {
    assertThat(client.count(JobFilter.all())).isNotNull();
  }

  @Test
  void enqueuedJobsRunWhenTheTestDrains(Holdfast client) throws InterruptedException {
    var job = client.enqueue(Welcome.TASK, new Welcome("ada"));
    assertThat(client).enqueued(Welcome.TASK).times(1);
    assertThat(welcomed).isEmpty();

    holdfast.drain().orThrow();

    assertThat(client.await(job, Duration.ofSeconds(20))).isEqualTo("Hello ada");
  }

  @Test
  void jobsOfOtherTestsAreNotVisible(Holdfast client) {
    assertThat(client).notEnqueued(Welcome.TASK);
    client.enqueue(Welcome.TASK, new Welcome("first"));
  }

  @Test
  void jobsOfOtherTestsAreNotVisibleHereEither(Holdfast client) {
    assertThat(client).notEnqueued(Welcome.TASK);
    client.enqueue(Welcome.TASK, new Welcome("second"));
  }

  @Test
  void timeAdvancesWhenTheTestSays(Holdfast client) {
    client.enqueue(Welcome.TASK, new Welcome("ada"), job -> job.runIn(Duration.ofHours(1)));
    assertThat(holdfast.drain().attempts()).isZero();

    holdfast.advance(Duration.ofHours(1));

    assertThat(holdfast.drain().succeeded()).isEqualTo(1);
  }

  @Test
  void theNodeIsConfiguredAsTheTestSays(TestNode inline) {
    JobId id =
        inline.client().enqueue(Welcome.TASK, new Welcome("ada"), on -> on.queue("mail")).id();

    inline.drain().orThrow();

    assertThat(inline.client().find(id).orElseThrow().endedAt()).isNotNull();
  }

  @Test
  void allParametersBelongTogether(TestNode inline, HoldfastNode node, Store store) {
    assertThat(node).isSameAs(inline.node()).isSameAs(holdfast.node());
    assertThat(store).isSameAs(inline.store());
  }

  @Nested
  class InNestedClasses {
    @Test
    void theExtensionWorksInANestedClass(Holdfast client) {
      client.enqueue(Welcome.TASK, new Welcome("nested"));

      holdfast.drain().orThrow();

      assertThat(welcomed).containsExactly("nested");
    }
  }
}
