package dev.holdfast.embedded;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The exit code and output of a program that was run. */
record Command(int exitCode, String output) {

  /** The {@link #exitCode} of a program that was killed at its time limit. */
  static final int TIMED_OUT = -1;

  boolean succeeded() {
    return exitCode == 0;
  }

  /**
   * Runs a program, at most for {@code limit}. An interrupt of the thread does not stop it, because
   * a half started or half stopped server is worse than a delay.
   */
  static Command run(List<String> line, Path workFolder, Duration limit) throws IOException {
    // A file instead of a pipe: the server may inherit it, and a pipe would then never end.
    Path output = Files.createTempFile("holdfast-command-", ".out");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(line)
              .directory(workFolder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      // PGDATA, PGPORT and similar variables are meant for another server.
      builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
      builder.environment().put("LC_ALL", "C");
      Process process = builder.start();
      process.getOutputStream().close();
      int exitCode = await(process, limit);
      return new Command(
          exitCode, new String(Files.readAllBytes(output), Charset.defaultCharset()).strip());
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private static int await(Process process, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (process.waitFor(deadline - System.nanoTime(), NANOSECONDS)) {
            return process.exitValue();
          }
          process.destroyForcibly();
          return TIMED_OUT;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
