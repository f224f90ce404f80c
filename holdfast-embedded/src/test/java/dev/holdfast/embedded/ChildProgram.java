package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link ServerProgram} in a separate process. */
final class ChildProgram implements AutoCloseable {

  private final Process process;
  private long serverPid;
  private int port;
  private boolean owner;
  private Path dataFolder = Path.of("unknown");

  private ChildProgram(Process process) {
    this.process = process;
  }

  /** Starts the program on a folder and waits until its server is running. */
  static ChildProgram on(Path folder) throws IOException {
    return launch(folder).await();
  }

  /** Starts the program on a folder and does not wait. */
  static ChildProgram launch(Path folder) throws IOException {
    return launch(java(System.getProperty("java.class.path"), folder.toString(), "true"));
  }

  static ChildProgram launch(List<String> command) throws IOException {
    return new ChildProgram(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
  }

  /** Returns the command line of a JVM that runs {@link ServerProgram}. */
  static List<String> java(String classPath, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath));
    command.add(ServerProgram.class.getName());
    command.addAll(List.of(args));
    return command;
  }

  ChildProgram await() throws IOException {
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    StringBuilder said = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(ServerProgram.READY)) {
        String[] words = line.substring(ServerProgram.READY.length()).split(" ", 4);
        serverPid = Long.parseLong(words[0]);
        port = Integer.parseInt(words[1]);
        owner = Boolean.parseBoolean(words[2]);
        dataFolder = Path.of(words[3]);
        return this;
      }
      said.append(line).append('\n');
    }
    throw new IllegalStateException("The program ended before its server was ready:\n" + said);
  }

  long serverPid() {
    return serverPid;
  }

  int port() {
    return port;
  }

  boolean isOwner() {
    return owner;
  }

  Path dataFolder() {
    return dataFolder;
  }

  /** Sends SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops the program as Kubernetes or Ctrl-C in a terminal does. */
  void terminate() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }

  /** Ends the program, closing the server first ("close") or not ("exit"). */
  void end(String how) throws IOException, InterruptedException {
    try (Writer in = process.outputWriter(UTF_8)) {
      in.write(how + "\n");
    }
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("The program did not end");
    }
  }

  @Override
  public void close() throws InterruptedException {
    if (process.isAlive()) {
      terminate();
    }
  }
}
