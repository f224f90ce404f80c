package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.Evidence.Effect;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The file in which a process logs its effects, line by line. A line that was written survives if
 * the process is then killed.
 */
public final class AttemptLog {
  private static final String EFFECT = "E";
  private static final String COUNTS = "C";

  // Not a channel, because an interrupt of the writing thread would close it.
  private final FileOutputStream file;

  /**
   * The last counts that a process logged.
   *
   * @param clockShift the largest difference of its wall clock from the real time, in milliseconds
   */
  public record Counts(long fenced, long died, long recovered, long stale, long clockShift) {
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0);

    public Counts plus(Counts other) {
      return new Counts(
          fenced + other.fenced,
          died + other.died,
          recovered + other.recovered,
          stale + other.stale,
          Math.max(clockShift, other.clockShift));
    }
  }

  /** The contents of a file. */
  record Contents(List<Effect> effects, Counts counts) {}

  AttemptLog(Path path) throws IOException {
    this.file = new FileOutputStream(path.toFile(), true);
  }

  void effect(UUID job, long token, boolean last, long nanos) {
    write("%s %s %d %b %d\n".formatted(EFFECT, job, token, last, nanos));
  }

  void counts(Counts counts) {
    write(
        "%s %d %d %d %d %d\n"
            .formatted(
                COUNTS,
                counts.fenced,
                counts.died,
                counts.recovered,
                counts.stale,
                counts.clockShift));
  }

  private void write(String line) {
    try {
      // One system call for each line, so that lines of different threads do not mix.
      file.write(line.getBytes(StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static Contents read(Path path) throws IOException {
    String text = Files.readString(path);
    // The last line of a killed process may be half written.
    String whole = text.substring(0, text.lastIndexOf('\n') + 1);
    List<Effect> effects = new ArrayList<>();
    Counts counts = Counts.NONE;
    for (String line : whole.lines().toList()) {
      String[] words = line.split(" ", -1);
      if (words[0].equals(EFFECT)) {
        effects.add(
            new Effect(
                UUID.fromString(words[1]),
                Long.parseLong(words[2]),
                String.valueOf(path.getFileName()),
                Boolean.parseBoolean(words[3]),
                Long.parseLong(words[4])));
      } else {
        counts =
            new Counts(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
      }
    }
    return new Contents(effects, counts);
  }
}
