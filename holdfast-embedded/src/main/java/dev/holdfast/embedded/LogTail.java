package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** Reads the end of a server's log, for the error that reports a failed start. */
final class LogTail {

  private static final int LINES = 12;
  private static final int BYTES = 16 * 1024;

  private LogTail() {}

  /** Returns the end of every log file that was modified since an instant. */
  static String since(Instant instant, Path logs) {
    try (Stream<Path> files = Files.list(logs)) {
      StringBuilder tail = new StringBuilder();
      for (Path file : files.sorted().toList()) {
        if (!Files.getLastModifiedTime(file).toInstant().isBefore(instant)) {
          tail.append(endOf(lastBytes(file))).append('\n');
        }
      }
      return tail.toString().strip();
    } catch (IOException e) {
      return "(could not read the log in " + logs + ": " + e + ")";
    }
  }

  /** Returns the last lines of a text. */
  static String endOf(String text) {
    List<String> lines = text.strip().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
  }

  private static String lastBytes(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      in.skipNBytes(Math.max(0, Files.size(file) - BYTES));
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
