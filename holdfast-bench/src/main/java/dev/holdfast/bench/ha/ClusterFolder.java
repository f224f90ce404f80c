package dev.holdfast.bench.ha;

import dev.holdfast.bench.harness.BenchException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A folder in which the programs of a cluster run, with sockets, settings and logs in it.
 *
 * @param root the folder, owned by the account of the servers
 */
record ClusterFolder(Installation installed, Path root) {
  private static final int MINUTES_PER_COMMAND = 2;

  static ClusterFolder create(Installation installed) throws IOException {
    Path root = Files.createTempDirectory("holdfast-ha-servers-");
    ClusterFolder folder = new ClusterFolder(installed, root);
    folder.give(root);
    folder.give(Files.createDirectory(folder.sockets()));
    return folder;
  }

  private Path sockets() {
    return root.resolve("run");
  }

  Path log(String name) {
    return root.resolve(name + ".log");
  }

  /** Writes a file that the account of the servers can read. */
  Path write(String name, String text) throws IOException {
    Path file = Files.writeString(root.resolve(name), text);
    give(file);
    return file;
  }

  private void give(Path path) throws IOException {
    Files.setOwner(
        path,
        path.getFileSystem()
            .getUserPrincipalLookupService()
            .lookupPrincipalByName(Installation.account()));
  }

  /** Starts a program, whose output is appended to a log. */
  Process start(String name, List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(Installation.asAccount(command))
            .directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(log(name).toFile()));
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", installed.servers() + ":/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", root.toString());
    environment.put("XDG_RUNTIME_DIR", sockets().toString());
    environment.put("XDG_CONFIG_HOME", root.resolve("config").toString());
    environment.put("XDG_DATA_HOME", root.resolve("share").toString());
    // For the servers and for libpq. The folder for sockets of Debian belongs to one account.
    environment.put("PG_REGRESS_SOCK_DIR", sockets().toString());
    environment.put("PGHOST", sockets().toString());
    return builder.start();
  }

  /** Runs a program to its end. */
  void run(String name, List<String> command) throws IOException, InterruptedException {
    Process process = start(name, command);
    if (!process.waitFor(MINUTES_PER_COMMAND, TimeUnit.MINUTES) || process.exitValue() != 0) {
      kill(process);
      throw new BenchException(
          "'%s' has failed:%n%s".formatted(String.join(" ", command), Files.readString(log(name))));
    }
  }

  /** Kills a process and all processes that it has started, as the loss of a machine would. */
  static void kill(Process process) {
    List<ProcessHandle> all = new ArrayList<>(List.of(process.toHandle()));
    process.descendants().forEach(all::add);
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(one -> one.onExit().join());
  }

  static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  void delete() throws IOException {
    List<Path> all;
    try (Stream<Path> tree = Files.walk(root)) {
      all = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      try {
        Files.deleteIfExists(path);
      } catch (NoSuchFileException gone) {
        // A server that was killed a moment ago has deleted it.
      }
    }
  }
}
