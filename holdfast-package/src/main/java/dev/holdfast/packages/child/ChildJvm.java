package dev.holdfast.packages.child;

import dev.holdfast.packages.load.ChildClassPath;
import dev.holdfast.packages.load.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that runs the packages of one tenant. */
public final class ChildJvm {
  private static final Logger log = LoggerFactory.getLogger(ChildJvm.class);
  private static final int LONGEST_LINE = 2_000;

  /** A class of each jar that the process needs. Nothing of the server, and no database driver. */
  private static final List<String> NEEDED =
      List.of(
          "dev.holdfast.packages.child.ChildMain",
          "dev.holdfast.worker.RemoteWorker",
          "dev.holdfast.engine.node.HoldfastNode",
          "dev.holdfast.api.run.TaskModule",
          "tools.jackson.databind.JsonNode",
          "tools.jackson.core.JsonParser",
          "com.fasterxml.jackson.annotation.JsonProperty",
          "io.micrometer.core.instrument.MeterRegistry",
          "io.micrometer.common.KeyValue",
          "io.micrometer.observation.Observation",
          "org.HdrHistogram.Histogram",
          "io.opentelemetry.api.OpenTelemetry",
          "io.opentelemetry.context.Context",
          "io.opentelemetry.common.ComponentLoader",
          "com.cronutils.model.Cron",
          "com.github.f4b6a3.uuid.UuidCreator",
          "org.slf4j.Logger",
          "ch.qos.logback.classic.LoggerContext",
          "ch.qos.logback.core.Context",
          "org.jspecify.annotations.NullMarked");

  /** How long the process may read nothing while the server has something to tell it. */
  private static final Duration UNREAD = Duration.ofSeconds(10);

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Process process;
  private final OrderWriter orders;

  private ChildJvm(Process process) {
    this.process = process;
    this.orders = new OrderWriter(process.getOutputStream());
  }

  /**
   * What the process gets.
   *
   * @param tenant the number of its tenant, which determines its user and its CPUs
   * @param heapMegabytes the size of its heap
   * @param limits how much of the machine it may use
   * @param folder its folder, which it can read and write
   */
  public record Settings(int tenant, int heapMegabytes, Sandbox.Limits limits, Path folder) {}

  /** Copies the jars that the process needs, for a user who may not read them where they are. */
  public static List<Path> copyClassPath(Path folder) {
    return ChildClassPath.copiedTo(folder, needed());
  }

  private static List<Class<?>> needed() {
    List<Class<?>> needed = new ArrayList<>();
    for (String name : NEEDED) {
      try {
        needed.add(Class.forName(name, false, ChildJvm.class.getClassLoader()));
      } catch (ClassNotFoundException missing) {
        throw new IllegalStateException(
            "Packages cannot run in a separate process, because %s is not on the class path."
                .formatted(name),
            missing);
      }
    }
    return needed;
  }

  /**
   * Starts the process. The calling thread must live as long as the process: Linux ends the process
   * with the thread that started it.
   *
   * @param lines receives what the process prints, in lines of bounded length
   */
  public static ChildJvm start(Settings settings, List<Path> classPath, Consumer<String> lines)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command(settings, classPath))
            .directory(settings.folder().toFile())
            .redirectErrorStream(true);
    String path = System.getenv("PATH");
    builder.environment().clear();
    if (path != null) {
      builder.environment().put("PATH", path); // To find the programs that apply the limits.
    }
    Process process = builder.start();
    Thread.ofPlatform()
        .daemon()
        .name("holdfast-package-output")
        .start(() -> read(process.getInputStream(), lines));
    return new ChildJvm(process);
  }

  private static List<String> command(Settings settings, List<Path> classPath) {
    List<String> command = new ArrayList<>(Sandbox.prefixOf(settings.tenant(), settings.limits()));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx%dm".formatted(settings.heapMegabytes()),
            "-XX:MaxMetaspaceSize=256m",
            "-XX:MaxDirectMemorySize=64m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-XX:+DisableAttachMechanism",
            // Handlers that compute must not keep the others from running.
            "-Djdk.virtualThreadScheduler.parallelism=16",
            "-Djava.io.tmpdir=" + settings.folder(),
            "-Duser.home=" + settings.folder(),
            "-Dlogback.configurationFile=dev/holdfast/packages/child/logback.xml",
            "-cp",
            ChildClassPath.text(classPath),
            ChildMain.class.getName()));
    return command;
  }

  /** Bounded: the process may print anything, and never a line break. */
  private static void read(InputStream in, Consumer<String> lines) {
    byte[] line = new byte[LONGEST_LINE];
    int length = 0;
    byte[] piece = new byte[8192];
    try (in) {
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        for (int i = 0; i < n; i++) {
          if (piece[i] == '\n') {
            lines.accept(text(line, length));
            length = 0;
          } else if (length < LONGEST_LINE) {
            line[length++] = piece[i];
          }
        }
      }
    } catch (IOException ended) {
      return; // With the process.
    }
  }

  private static String text(byte[] line, int length) {
    return new String(line, 0, length, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", " ");
  }

  /**
   * Tells the process something, without waiting until it has read that.
   *
   * @return false if it has ended, or does not read what it is told
   */
  public boolean tell(Orders order) {
    return orders.tell(order);
  }

  /** Returns the id of the process, or of the program that applies its limits. */
  public long pid() {
    return process.pid();
  }

  /**
   * Waits until the process has ended, and returns its exit code. Ends it if it does not read what
   * it is told.
   */
  public int await() throws InterruptedException {
    while (!await(LOOK)) {
      if (orders.isStuck(UNREAD)) {
        log.warn(
            "Process {} has read nothing for {} s although there are orders for it, and is ended",
            process.pid(),
            UNREAD.toSeconds());
        kill();
        return process.waitFor();
      }
    }
    return process.exitValue();
  }

  /** Waits for the end of the process, and returns whether it has ended. */
  public boolean await(Duration atMost) throws InterruptedException {
    return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Ends the process, with all that it has started. */
  public void kill() {
    // Children first: once their parent is gone, they cannot be found.
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    // By its handle: Process.destroyForcibly() also closes the stream to the process, and waits for
    // a write that is under way.
    process.toHandle().destroyForcibly();
    orders.close();
  }
}
