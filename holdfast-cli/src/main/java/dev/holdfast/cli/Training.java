package dev.holdfast.cli;

import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.log.ServerLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Does what servers and commands do first, so that the JVM can record what it needs for that: later
 * starts take about half the time. The launcher runs it once after each build, with the options
 * that make the JVM record.
 */
public final class Training {
  private static final Duration AT_MOST = Duration.ofMinutes(1);
  private static final Duration PACE = Duration.ofMillis(200);

  private Training() {}

  /**
   * Starts a server, runs commands, and ends.
   *
   * @param args an empty folder, which the caller deletes
   */
  public static void main(String[] args) {
    // A start without the record is better than none.
    Thread.ofPlatform().daemon().start(Training::limit);
    Path folder = Path.of(args[0]);
    Configuration configuration =
        Configuration.read(
            null,
            Map.of(),
            Map.of("port", "0", "drain", "PT1S", "dataDir", folder.resolve("data").toString()));
    ServerLog.start(configuration.logFormat());
    try (HoldfastServer server = HoldfastServer.startDemo(configuration.server(), PACE)) {
      Map<String, String> variables =
          Map.of(
              "XDG_CONFIG_HOME",
              folder.resolve("config").toString(),
              "HOLDFAST_URL",
              server.url().toString(),
              "HOLDFAST_KEY",
              String.valueOf(server.firstKeys().tenant()));
      command(variables, "--help");
      command(variables, "serve", "--help");
      command(variables, "config");
      command(variables, "workflow", "list");
      command(variables, "job", "list");
      command(variables, "run", "list", "--json");
      command(
          variables,
          "run",
          "start",
          "demo::newsletter",
          "--input={\"number\":1,\"customer\":\"Ada\"}",
          "--wait");
    }
    System.exit(0);
  }

  private static void command(Map<String, String> variables, String... words) {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    int exit = Main.run(variables, writer, writer, words);
    System.out.printf("%s: %d%n%s%n", String.join(" ", words), exit, out);
  }

  private static void limit() {
    try {
      Thread.sleep(AT_MOST);
    } catch (InterruptedException stopping) {
      return;
    }
    System.out.println("Took too long.");
    Runtime.getRuntime().halt(1);
  }
}
