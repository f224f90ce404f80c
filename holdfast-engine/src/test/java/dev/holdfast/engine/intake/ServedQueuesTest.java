package dev.holdfast.engine.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.engine.node.Logged;
import dev.holdfast.engine.store.QueueStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ServedQueuesTest {

  @RegisterExtension final Logged logged = Logged.by(ServedQueues.class);
  private final List<String> asked = new ArrayList<>();

  /** Returns a cluster whose nodes serve only the queue 'mail'. */
  private QueueStore onlyMail() {
    return (QueueStore)
        Proxy.newProxyInstance(
            ServedQueuesTest.class.getClassLoader(),
            new Class<?>[] {QueueStore.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("isDeclared");
              asked.add((String) arguments[0]);
              return arguments[0].equals("mail");
            });
  }

  @Test
  void aQueueThatNoNodeServesCausesAWarningByDefault() {
    ServedQueues queues = new ServedQueues(onlyMail(), ClientSettings.DEFAULT);

    queues.check("mial");
    queues.check("mial");

    assertThat(logged.messages())
        .containsExactly("No live node serves queue 'mial' yet; its jobs wait until one does");
    assertThat(asked).containsExactly("mial");
  }

  @Test
  void aServedQueueIsLookedUpOnceAMinute() {
    ServedQueues queues = new ServedQueues(onlyMail(), ClientSettings.DEFAULT);

    queues.check("mail");
    queues.check("mail");

    assertThat(logged.messages()).isEmpty();
    assertThat(asked).containsExactly("mail");
  }

  @Test
  void aStrictClientIsRejectedAndMayRetryAtOnce() {
    ServedQueues queues =
        new ServedQueues(onlyMail(), ClientSettings.DEFAULT.with(s -> s.strictQueues(true)));

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> queues.check("mial"))
          .hasMessageContaining("'mial'")
          .hasMessageContaining("start a node");
    }
    assertThat(asked).containsExactly("mial", "mial");
    assertThat(logged.messages()).isEmpty();
  }

  @Test
  void aResultIsRenewedByOneThreadWhileOthersUseTheOldOne() {
    AtomicLong time = new AtomicLong();
    ServedQueues queues = new ServedQueues(onlyMail(), ClientSettings.DEFAULT, time::get);
    queues.check("mail");
    time.addAndGet(Duration.ofMinutes(2).toNanos());

    queues.check(
        "mail",
        queue -> {
          queues.check("mail", other -> fail("A second thread must not look as well"));
          return true;
        });

    assertThat(asked).containsExactly("mail");
  }

  @Test
  void afterAFailedLookupTheNextThreadTries() {
    AtomicLong time = new AtomicLong();
    ServedQueues queues = new ServedQueues(onlyMail(), ClientSettings.DEFAULT, time::get);
    queues.check("mail");
    time.addAndGet(Duration.ofMinutes(2).toNanos());
    assertThatThrownBy(() ->
            queues.check(
                "mail",
                queue -> {
                  throw new IllegalStateException("the connection broke");
                }))
        .hasMessage("the connection broke");

    queues.check("mail");

    assertThat(asked).containsExactly("mail", "mail");
  }
}
