package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The nodes that the log lines of a store's coordinator contain. */
class CoordinatorLogTest {
  private static final Duration SOON = Duration.ofSeconds(40);

  private final PostgresFixture fixture = new PostgresFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void everyLogLineContainsTheNodesOfTheCoordinator() throws Exception {
    try (FaultProxy proxy = new FaultProxy(SharedServer.server().port());
        PostgresStore store =
            PostgresStore.connect(
                PostgresSettings.builder(proxy.through(fixture.database().jdbcUrl()))
                    .user(fixture.database().user())
                    .password(fixture.database().password())
                    .build());
        HoldfastNode node = HoldfastNode.on(store).id("scribe-1").name("Scribe").start()) {
      await().atMost(SOON).until(() -> store.coordinator().isWorking());
      try (Lines lines = Lines.of("dev.holdfast.postgres.notify");
          Lines all = Lines.of("dev.holdfast.engine.notify")) {
        Runnable stop =
            store
                .coordinator()
                .onSignal(signal -> {
                  throw new IllegalStateException("of a listener without a node");
                });
        proxy.cut();
        store.coordinator().announce(new Signal.QueueChanged("mail"));
        awaitLine(lines, "does not receive signals from other nodes");
        awaitLine(lines, "Could not notify other nodes");
        stop.run();
        proxy.heal();
        awaitLine(lines, "receives signals from other nodes again");

        assertThat(lines.all())
            .filteredOn(line -> !line.text().startsWith("A listener failed"))
            .hasSizeGreaterThanOrEqualTo(3)
            .allSatisfy(line -> {
              assertThat(line.node()).as(line.text()).isEqualTo("scribe-1");
              assertThat(line.name()).as(line.text()).isEqualTo("Scribe");
            });
        assertThat(all.all()).isEmpty();
      }
      assertThat(node.isReady()).isTrue();
    }
  }

  @Test
  void logLinesOfASharedCoordinatorContainBothNodes() throws Exception {
    try (FaultProxy proxy = new FaultProxy(SharedServer.server().port());
        PostgresStore store =
            PostgresStore.connect(
                PostgresSettings.builder(proxy.through(fixture.database().jdbcUrl()))
                    .user(fixture.database().user())
                    .password(fixture.database().password())
                    .build());
        HoldfastNode one = HoldfastNode.on(store).id("scribe-1").start();
        HoldfastNode two = HoldfastNode.on(store).id("scribe-2").start();
        Lines lines = Lines.of("dev.holdfast.postgres.notify")) {
      await().atMost(SOON).until(() -> store.coordinator().isWorking());
      proxy.cut();
      awaitLine(lines, "does not receive signals from other nodes");
      proxy.heal();

      assertThat(lines.all())
          .filteredOn(line -> line.text().contains("does not receive"))
          .singleElement()
          .satisfies(line -> assertThat(line.node()).isEqualTo("scribe-1,scribe-2"));
      assertThat(one.incarnation()).isNotEqualTo(two.incarnation());
    }
  }

  private static void awaitLine(Lines lines, String part) {
    await()
        .atMost(SOON)
        .until(() -> lines.all().stream().anyMatch(line -> line.text().contains(part)));
  }
}
