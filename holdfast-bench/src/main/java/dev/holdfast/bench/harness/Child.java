package dev.holdfast.bench.harness;

import dev.holdfast.cli.Main;
import dev.holdfast.cli.database.Address;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another process of this program, spoken to in lines: it says {@code READY}, is told what to do,
 * and answers when it is done. It ends when its standard input does, so it never outlives us.
 */
public final class Child implements AutoCloseable {
  public static final String READY = "READY";
  public static final String DONE = "DONE";
  private static final int SECONDS_TO_END = 20;

  private final Process process;
  private final BufferedReader from;
  private final BufferedWriter to;

  private Child(Process process) {
    this.process = process;
    this.from = process.inputReader();
    this.to = process.outputWriter();
  }

  /**
   * Start a hidden subcommand of {@code holdfast bench} on a schema, and wait until it is ready.
   */
  public static Child start(BenchServer server, String schema, String... command)
      throws IOException {
    Address address = server.address();
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("-cp");
    line.add(System.getProperty("java.class.path"));
    line.add(Main.class.getName());
    line.add("bench");
    line.addAll(List.of(command));
    line.addAll(List.of("--schema", schema));
    ProcessBuilder builder = new ProcessBuilder(line).redirectError(Redirect.INHERIT);
    // Not among the arguments, which everybody on the machine can read.
    builder.environment().put("HOLDFAST_DATABASE_URL", address.url());
    put(builder, "HOLDFAST_DATABASE_USER", address.user());
    put(builder, "HOLDFAST_DATABASE_PASSWORD", address.password());
    return new Child(builder.start());
  }

  private static void put(ProcessBuilder builder, String name, @Nullable String value) {
    if (value == null) {
      builder.environment().remove(name);
    } else {
      builder.environment().put(name, value);
    }
  }

  public void tell(String line) throws IOException {
    to.write(line);
    to.newLine();
    to.flush();
  }

  /** Wait for a line that begins with this word, and return the numbers that follow it. */
  public long[] await(String word) throws IOException {
    for (String line = from.readLine(); line != null; line = from.readLine()) {
      if (line.startsWith(word)) {
        String numbers = line.substring(word.length()).strip();
        return numbers.isEmpty()
            ? new long[0]
            : Arrays.stream(numbers.split(" ", -1)).mapToLong(Long::parseLong).toArray();
      }
    }
    throw new BenchException(
        "A process of the bench ended early; what it said last is above, or run again with"
            + " --log-level INFO.");
  }

  /** Kill it, without giving it a chance to say good-bye. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() throws IOException {
    to.close();
    try {
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException impatient) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
