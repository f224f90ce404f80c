package dev.holdfast.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.chaos.AttemptLog.Contents;
import dev.holdfast.bench.chaos.AttemptLog.Counts;
import dev.holdfast.bench.chaos.Evidence.Effect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttemptLogTest {
  private static final UUID JOB = new UUID(1, 1);

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("node");
  }

  @Test
  void writtenLinesAreReadBack() throws Exception {
    AttemptLog log = new AttemptLog(file);
    log.effect(JOB, 3, true, 17);
    log.counts(new Counts(1, 1, 1, 1, 1));
    log.counts(new Counts(2, 3, 4, 5, 6));

    assertThat(AttemptLog.read(file).effects())
        .containsExactly(new Effect(JOB, 3, "node", true, 17));
    assertThat(AttemptLog.read(file).counts()).isEqualTo(new Counts(2, 3, 4, 5, 6));
  }

  @Test
  void anIncompleteLineOfAKilledProcessIsSkipped() throws Exception {
    new AttemptLog(file).effect(JOB, 3, true, 17);
    Files.writeString(file, "E 0000", StandardOpenOption.APPEND);

    Contents contents = AttemptLog.read(file);

    assertThat(contents.effects()).hasSize(1);
  }

  @Test
  void anInterruptedThreadStillWrites() throws Exception {
    AttemptLog log = new AttemptLog(file);
    Thread.currentThread().interrupt();
    log.effect(JOB, 3, false, 17);
    assertThat(Thread.interrupted()).isTrue();
    log.effect(JOB, 3, true, 18);

    assertThat(AttemptLog.read(file).effects()).hasSize(2);
  }
}
