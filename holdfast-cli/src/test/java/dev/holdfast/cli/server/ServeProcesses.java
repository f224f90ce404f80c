package dev.holdfast.cli.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Servers in their own processes, which are killed in the end. */
final class ServeProcesses implements AutoCloseable {
  private final Path folder;
  private final List<ServerProcess> started = new ArrayList<>();

  /**
   * @param folder where their profiles are stored
   */
  ServeProcesses(Path folder) {
    this.folder = folder;
  }

  /** A server process, and what it has printed until it was ready. */
  record ServerProcess(Process process, BufferedReader out, List<String> lines) {
    String word(String start) {
      return lines.stream()
          .flatMap(line -> List.of(line.split("\\s+")).stream())
          .filter(word -> word.startsWith(start))
          .findFirst()
          .orElse("");
    }

    void kill() {
      process.destroyForcibly().onExit().join();
    }
  }

  /** Returns how this JVM runs the command in another process. */
  static List<String> command() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        "dev.holdfast.cli.Main");
  }

  /** The folder in which servers and commands look for profiles. */
  Path config() {
    return folder.resolve("config");
  }

  ServerProcess start(int port, String... more) throws IOException {
    List<String> command = new ArrayList<>(command());
    command.addAll(List.of("serve", "--set=nodeTimeout=PT6S", "--port=" + port));
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("XDG_CONFIG_HOME", config().toString());
    builder.environment().put("HOLDFAST_LOG_LEVEL", "error");
    Process process = builder.start();
    BufferedReader out = process.inputReader();
    ServerProcess server = new ServerProcess(process, out, new ArrayList<>());
    started.add(server);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      server.lines().add(line);
      if (line.startsWith("Press Ctrl-C")) {
        return server;
      }
    }
    throw new AssertionError("The server ended early: " + server.lines());
  }

  /** Returns a port that stays the same when a server is started again. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    started.forEach(ServerProcess::kill);
  }
}
