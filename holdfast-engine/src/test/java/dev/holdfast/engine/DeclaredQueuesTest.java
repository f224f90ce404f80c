package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.engine.store.QueueBook;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DeclaredQueuesTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(DeclaredQueues.class);

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final List<String> asked = new ArrayList<>();

  @BeforeEach
  void listen() {
    logged.start();
    LOGGER.addAppender(logged);
  }

  @AfterEach
  void stopListening() {
    LOGGER.detachAppender(logged);
  }

  /** A cluster in which somebody serves the queue mail, and nobody another. */
  private QueueBook onlyMail() {
    return (QueueBook)
        Proxy.newProxyInstance(
            DeclaredQueuesTest.class.getClassLoader(),
            new Class<?>[] {QueueBook.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("isDeclared");
              asked.add((String) arguments[0]);
              return arguments[0].equals("mail");
            });
  }

  private List<String> said() {
    return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void byDefaultAQueueThatNobodyServesIsWarnedOf() {
    DeclaredQueues queues = new DeclaredQueues(onlyMail(), ClientSettings.DEFAULT);

    queues.check("mial");
    queues.check("mial");

    assertThat(said())
        .containsExactly("No live node serves queue 'mial' yet; its jobs wait until one does");
    assertThat(asked).containsExactly("mial");
  }

  @Test
  void aQueueThatSomebodyServesIsLookedUpOnceAMinute() {
    DeclaredQueues queues = new DeclaredQueues(onlyMail(), ClientSettings.DEFAULT);

    queues.check("mail");
    queues.check("mail");

    assertThat(said()).isEmpty();
    assertThat(asked).containsExactly("mail");
  }

  @Test
  void aStrictClientIsRefusedAndMayAskAgainAtOnce() {
    DeclaredQueues queues = new DeclaredQueues(onlyMail(), new ClientSettings(1_000, true));

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> queues.check("mial"))
          .hasMessageContaining("'mial'")
          .hasMessageContaining("start a node");
    }
    assertThat(asked).containsExactly("mial", "mial");
    assertThat(said()).isEmpty();
  }
}
