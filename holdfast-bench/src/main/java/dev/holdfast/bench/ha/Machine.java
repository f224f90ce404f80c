package dev.holdfast.bench.ha;

import dev.holdfast.cli.database.Address;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One machine of the cluster: a server, and the program that manages it. */
final class Machine {
  static final String USER = "holdfast";

  private final ClusterFolder folder;
  private final String name;
  private final int port;
  private final List<Process> processes = new ArrayList<>();

  Machine(ClusterFolder folder, String name) throws IOException {
    this.folder = folder;
    this.name = name;
    this.port = ClusterFolder.freePort();
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  Path data() {
    return folder.root().resolve(name);
  }

  Address address(String database) {
    return new Address(
        "jdbc:postgresql://127.0.0.1:%d/%s?connectTimeout=2".formatted(port, database), USER, null);
  }

  /** Creates the server and starts it. */
  void create(String monitor) throws IOException {
    processes.add(
        folder.start(
            name,
            List.of(
                folder.installed().pgAutoctl().toString(),
                "create",
                "postgres",
                "--pgdata",
                data().toString(),
                "--pgport",
                Integer.toString(port),
                "--listen",
                "127.0.0.1",
                "--hostname",
                "127.0.0.1",
                "--name",
                name,
                "--username",
                USER,
                "--dbname",
                USER,
                "--auth",
                "trust",
                "--no-ssl",
                "--maximum-backup-rate",
                "1024M",
                "--monitor",
                monitor,
                "--run")));
  }

  /** Starts the server again, as the start of the machine would. */
  void start() throws IOException {
    processes.add(
        folder.start(
            name,
            List.of(
                folder.installed().pgAutoctl().toString(), "run", "--pgdata", data().toString())));
  }

  void kill() {
    processes.forEach(ClusterFolder::kill);
    processes.clear();
  }
}
