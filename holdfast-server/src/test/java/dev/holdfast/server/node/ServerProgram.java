package dev.holdfast.server.node;

import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.testing.TestTasks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A server in a process that a test can kill. It prints a line for each job that has started. */
final class ServerProgram {
  static final String READY = "READY";
  static final String STARTED = "STARTED";

  private ServerProgram() {}

  /** Takes the settings of a server, as key=value. */
  public static void main(String[] settings) throws InterruptedException {
    Map<String, String> flags = new HashMap<>();
    for (String setting : settings) {
      flags.put(
          setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
    }
    TestTasks tasks = new TestTasks();
    HoldfastServer server =
        HoldfastServer.start(Configuration.read(null, Map.of(), flags).server(), List.of(tasks));
    System.out.println(READY);
    while (!server.routes().isEmpty()) {
      tasks.started.acquire();
      System.out.println(STARTED);
    }
  }
}
