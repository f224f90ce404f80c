package dev.holdfast.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BinariesTest {

  @TempDir private Path cache;

  @Test
  void concurrentUsersUnpackTheBinariesOnce() throws Exception {
    // Left behind by a program that was killed while unpacking.
    Path half = Files.createDirectories(cache.resolve("unpacking-00000000/bin"));
    Files.writeString(half.resolve("postgres"), "half of it");

    CompletableFuture<Binaries> first =
        CompletableFuture.supplyAsync(() -> Binaries.in(cache), Threads.OWN);
    CompletableFuture<Binaries> second =
        CompletableFuture.supplyAsync(() -> Binaries.in(cache), Threads.OWN);
    Binaries binaries = first.get(60, SECONDS);
    assertThat(second.get(60, SECONDS)).isEqualTo(binaries);

    FileTime unpacked = Files.getLastModifiedTime(binaries.home());
    assertThat(Binaries.in(cache)).isEqualTo(binaries);
    assertThat(Files.getLastModifiedTime(binaries.home())).isEqualTo(unpacked);
    try (var content = Files.list(cache)) {
      assertThat(content).containsExactlyInAnyOrder(binaries.home(), cache.resolve("unpack.lock"));
    }
    assertThat(binaries.version()).isEqualTo("18.6");
    assertThat(binaries.major()).isEqualTo("18");
    assertThat(Path.of(binaries.program("postgres"))).isExecutable();
    assertThat(binaries.haveExtension("pg_stat_statements")).isTrue();
    assertThat(binaries.haveExtension("no_such_thing")).isFalse();
  }
}
