package dev.holdfast.bench.chaos;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A time of day of its own for one process, by libfaketime. The monotonic clock stays what it is,
 * as it does when an operator or NTP sets the time.
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

  /** The library, if this machine has it. */
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

  /** Let a process that is about to start live by this time. */
  void into(Map<String, String> environment) {
    environment.put("LD_PRELOAD", library.toString());
    environment.put("FAKETIME_TIMESTAMP_FILE", shift.toString());
    // How many seconds a change of the file may go unnoticed.
    environment.put("FAKETIME_CACHE_DURATION", "1");
    environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    environment.put("DONT_FAKE_MONOTONIC", "1");
  }

  void set(Duration ahead) throws IOException {
    Files.writeString(shift, "%+d".formatted(ahead.toSeconds()));
  }
}
