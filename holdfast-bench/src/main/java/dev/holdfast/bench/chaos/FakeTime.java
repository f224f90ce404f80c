package dev.holdfast.bench.chaos;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A separate wall clock for one process, by libfaketime. The monotonic clock is not changed, just
 * as when an operator or NTP sets the time.
 */
final class FakeTime {
  private static final Path LIBRARIES = Path.of("/usr/lib");

  private final Path library;
  private final Path shift;

  FakeTime(Path library, Path folder) throws IOException {
    this.library = library;
    this.shift = folder.resolve("clock");
    set(Duration.ZERO);
  }

  /** Returns the path of the library, if it is installed. */
  static Optional<Path> library() throws IOException {
    if (!Files.isDirectory(LIBRARIES)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(LIBRARIES)) {
      for (Path folder : folders) {
        Path candidate = folder.resolve("faketime/libfaketime.so.1");
        if (Files.isRegularFile(candidate)) {
          return Optional.of(candidate);
        }
      }
    }
    return Optional.empty();
  }

  /** Adds the variables for this clock to the environment of a new process. */
  void into(Map<String, String> environment) {
    environment.put("LD_PRELOAD", library.toString());
    environment.put("FAKETIME_TIMESTAMP_FILE", shift.toString());
    // The number of seconds after which a change of the file is noticed.
    environment.put("FAKETIME_CACHE_DURATION", "1");
    environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    environment.put("DONT_FAKE_MONOTONIC", "1");
  }

  void set(Duration ahead) throws IOException {
    Files.writeString(shift, "%+d".formatted(ahead.toSeconds()));
  }
}
