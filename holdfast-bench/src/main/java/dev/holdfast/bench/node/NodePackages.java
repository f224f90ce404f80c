package dev.holdfast.bench.node;

import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The packages for Node.js, installed with npm, and the scripts that use them. */
public final class NodePackages {
  private static final String PACKAGES = "package.json";
  private static final List<String> SCRIPTS =
      List.of("peer.mjs", "graphile-worker.mjs", "pg-boss.mjs");
  private static final long MOST_MINUTES = 4;

  private final Path folder;
  private final String node;

  private NodePackages(Path folder, String node) {
    this.folder = folder;
    this.node = node;
  }

  /**
   * Returns the packages, and installs them if this version of them has not been installed before.
   *
   * @throws BenchException if Node.js or npm is missing, or if npm cannot install the packages
   */
  public static NodePackages install() throws IOException {
    return install(System.getenv());
  }

  static NodePackages install(Map<String, String> environment) throws IOException {
    requireProgram("node", "Node.js", environment);
    requireProgram("npm", "npm", environment);
    byte[] list = resource(PACKAGES);
    Path caches = caches(environment);
    Path folder = caches.resolve("bench-node-" + UUID.nameUUIDFromBytes(list));
    if (!Files.isDirectory(folder)) {
      download(list, caches, folder);
    }
    for (String script : SCRIPTS) {
      Files.write(folder.resolve(script), resource(script));
    }
    return new NodePackages(folder, node(folder));
  }

  /** Starts a process of a peer with the given arguments for its script. */
  public Child start(BenchServer server, NodePeers peer, String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of(node, script(), peer.label));
    line.addAll(List.of(arguments));
    return Child.launch(line, server);
  }

  private String script() {
    return folder.resolve(SCRIPTS.getFirst()).toString();
  }

  /** Installs into a temporary folder first, so that an installation that failed is not used. */
  private static void download(byte[] list, Path caches, Path folder) throws IOException {
    Files.createDirectories(caches);
    Path part = Files.createTempDirectory(caches, "bench-node-");
    Files.write(part.resolve(PACKAGES), list);
    String output =
        run(
            part,
            "npm",
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--loglevel=error");
    if (!Files.isDirectory(part.resolve("node_modules").resolve("graphile-worker"))) {
      throw new BenchException("npm could not install the packages: " + output.strip());
    }
    Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void requireProgram(
      String program, String title, Map<String, String> environment) {
    String path = environment.getOrDefault("PATH", "");
    for (String folder : path.split(File.pathSeparator, -1)) {
      if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, program))) {
        return;
      }
    }
    throw new BenchException(
        "%s was not found in PATH (%s): install it, or add its folder.".formatted(title, path));
  }

  /** Runs a program, and returns what it prints. */
  private static String run(Path folder, String... line) throws IOException {
    Path output = Files.createTempFile("holdfast-bench-", ".log");
    try {
      Process process =
          new ProcessBuilder(line)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new BenchException(
            "%s did not end in %d minutes.".formatted(String.join(" ", line), MOST_MINUTES));
      }
      return Files.readString(output);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new BenchException("Interrupted while running " + String.join(" ", line));
    } finally {
      Files.delete(output);
    }
  }

  /** Returns the Node.js among the packages, or the one on the PATH on other systems. */
  private static String node(Path folder) {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch");
    String name =
        "node-%s-%s"
            .formatted(
                system.startsWith("mac") ? "darwin" : system,
                processor.equals("aarch64") ? "arm64" : "x64");
    Path packaged = folder.resolve("node_modules").resolve(name).resolve("bin").resolve("node");
    return Files.isExecutable(packaged) ? packaged.toString() : "node";
  }

  private static Path caches(Map<String, String> environment) {
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    Path all = xdg.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
    return all.resolve("holdfast");
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream file = NodePackages.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new BenchException("The resource %s is missing from the class path.".formatted(name));
      }
      return file.readAllBytes();
    }
  }
}
