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
 * A child process of the benchmark. It communicates in lines: it prints {@code READY}, reads
 * commands, and prints a reply after each. It ends when its standard input ends, so it never
 * outlives its parent.
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
   * Starts a hidden subcommand of {@code holdfast bench} on a schema. Wait for {@link #READY}
   * before the first command.
   */
  public static Child start(BenchServer server, String schema, String... command)
      throws IOException {
    return start(java(Main.class), server, schema, command);
  }

  /**
   * Starts a hidden subcommand of another version.
   *
   * @param program the command line of its {@code holdfast}
   */
  public static Child start(
      List<String> program, BenchServer server, String schema, String... command)
      throws IOException {
    List<String> line = new ArrayList<>(program);
    line.add("bench");
    line.addAll(List.of(command));
    line.addAll(List.of("--schema", schema));
    return launch(line, server);
  }

  /** Returns the start of a command line that runs a main class of this class path. */
  public static List<String> java(Class<?> main) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        System.getProperty("java.class.path"),
        main.getName());
  }

  /**
   * Starts any program that communicates in lines. Its environment names the database, for programs
   * of Holdfast and for programs of PostgreSQL.
   */
  public static Child launch(List<String> line, BenchServer server) throws IOException {
    Address address = server.address();
    ProcessBuilder builder = new ProcessBuilder(line).redirectError(Redirect.INHERIT);
    // Not in the arguments, which every user of the machine can read.
    builder.environment().put("HOLDFAST_DATABASE_URL", address.url());
    put(builder, "HOLDFAST_DATABASE_USER", address.user());
    put(builder, "HOLDFAST_DATABASE_PASSWORD", address.password());
    builder.environment().putAll(LibpqVariables.of(address));
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

  /** Waits for a line that starts with a word, and returns the numbers that follow the word. */
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
        "A child process of the benchmark ended early: see its output above, or run again with"
            + " --log-level INFO.");
  }

  /** Kills the process, so that its node cannot deregister. */
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
