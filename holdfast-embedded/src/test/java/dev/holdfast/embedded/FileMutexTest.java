package dev.holdfast.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Locks within one program. {@link TwoProgramsTest} covers locks between programs. */
@Timeout(60)
class FileMutexTest {

  @TempDir private Path temp;

  @Test
  void onlyOneHolderAtATime() {
    Path file = temp.resolve("lock");
    FileMutex held = FileMutex.await(file);
    assertThat(FileMutex.tryTake(file)).isEmpty();

    held.close();
    held.close();

    Optional<FileMutex> next = FileMutex.tryTake(file);
    assertThat(next).isPresent();
    assertThat(FileMutex.tryTake(file)).isEmpty();
    next.get().close();
  }

  @Test
  void aWaiterGetsTheMutexWhenItIsReleased() throws Exception {
    Path file = temp.resolve("lock");
    FileMutex held = FileMutex.await(file);
    CompletableFuture<FileMutex> waiting =
        CompletableFuture.supplyAsync(() -> FileMutex.await(file), Threads.OWN);
    assertThat(waiting).isNotDone();

    held.close();

    waiting.get(30, SECONDS).close();
  }
}
