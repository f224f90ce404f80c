package dev.holdfast.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two programs, or two parts of one, on the same data folder. */
@Timeout(120)
class TwoProgramsTest {

  @TempDir private Path temp;

  @Test
  void theSecondProgramIsAGuestAndDoesNotStopTheServer() throws Exception {
    try (EmbeddedPostgres owner = EmbeddedPostgres.at(temp.resolve("data")).start();
        ChildProgram guest = ChildProgram.on(owner.dataFolder())) {
      assertThat(guest.serverPid()).isEqualTo(owner.pid());
      assertThat(owner.isOwner()).isTrue();
      assertThat(guest.isOwner()).isFalse();

      guest.end("close");

      assertThat(Rows.read(owner, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void theServerStopsWithItsOwner() throws Exception {
    try (ChildProgram owner = ChildProgram.on(temp.resolve("data"));
        EmbeddedPostgres guest = EmbeddedPostgres.at(owner.dataFolder()).start()) {
      assertThatThrownBy(guest::restart)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("another program owns it");

      owner.end("close");
      assertThat(guest.isRunning()).isFalse();

      guest.restart();
      assertThat(guest.isOwner()).isTrue();
      assertThat(guest.port()).isEqualTo(owner.port());
      assertThat(Rows.read(guest, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void aGuestUsesTheServerAsItIs() throws Exception {
    try (EmbeddedPostgres owner = EmbeddedPostgres.at(temp.resolve("data")).start();
        EmbeddedPostgres guest =
            EmbeddedPostgres.at(owner.dataFolder()).setting("max_connections", "17").start()) {
      assertThat(guest.pid()).isEqualTo(owner.pid());
      assertThat(Rows.read(guest, "SHOW max_connections")).isEqualTo("100");
    }
  }

  @Test
  void twoProgramsThatStartTogetherShareOneServer() throws Exception {
    Path folder = temp.resolve("data");
    try (ChildProgram one = ChildProgram.launch(folder);
        ChildProgram other = ChildProgram.launch(folder)) {
      one.await();
      other.await();

      assertThat(one.serverPid()).isEqualTo(other.serverPid());
      assertThat(List.of(one.isOwner(), other.isOwner())).containsExactlyInAnyOrder(true, false);
    }
  }

  @Test
  void twoThreadsThatStartTogetherShareOneServer() throws Exception {
    Path folder = temp.resolve("data");
    CompletableFuture<EmbeddedPostgres> first =
        CompletableFuture.supplyAsync(() -> EmbeddedPostgres.at(folder).start(), Threads.OWN);
    CompletableFuture<EmbeddedPostgres> second =
        CompletableFuture.supplyAsync(() -> EmbeddedPostgres.at(folder).start(), Threads.OWN);

    try (EmbeddedPostgres one = first.get(60, SECONDS);
        EmbeddedPostgres other = second.get(60, SECONDS)) {
      assertThat(one.pid()).isEqualTo(other.pid());
      assertThat(List.of(one.isOwner(), other.isOwner())).containsExactlyInAnyOrder(true, false);
    }
  }

  @Test
  void theLocksOfAnOwnerSurviveAGuestInTheSameProgram() throws Exception {
    try (EmbeddedPostgres owner = EmbeddedPostgres.at(temp.resolve("data")).start()) {
      EmbeddedPostgres.at(owner.dataFolder()).start().close();

      try (ChildProgram another = ChildProgram.on(owner.dataFolder())) {
        assertThat(another.isOwner()).isFalse();
      }
    }
  }
}
