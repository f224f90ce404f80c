package dev.holdfast.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.embedded.testing.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program with a node in a separate process. It communicates in lines. */
final class NodeProcess implements AutoCloseable {
  /** The line that it prints when its node has started. */
  static final String READY = "READY";

  private final Process process;
  private final BufferedReader said;
  private final List<String> lines = new ArrayList<>();

  /**
   * Starts a program that takes the URL, user and password of a database.
   *
   * @param more further arguments
   */
  NodeProcess(Class<?> program, TestDatabase database, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(program.getName());
    command.add(database.jdbcUrl());
    command.add(database.user());
    command.add(database.password());
    command.addAll(List.of(more));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    said = process.inputReader(UTF_8);
    awaitLine(READY);
  }

  /** Waits until it prints a line that starts with this text. */
  String awaitLine(String beginning) throws IOException {
    for (String read = said.readLine(); read != null; read = said.readLine()) {
      lines.add(read);
      if (read.startsWith(beginning)) {
        return read;
      }
    }
    throw new AssertionError(
        "The process ended without saying %s; it said %s".formatted(beginning, lines));
  }

  /** Returns all lines up to the last one that was awaited. */
  List<String> lines() {
    return lines;
  }

  void tell(String line) throws IOException {
    Writer writer = process.outputWriter(UTF_8);
    writer.append(line).append('\n').flush();
  }

  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  boolean hasEndedWithin(long millis) throws InterruptedException {
    return process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  int exitValue() {
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
