package dev.holdfast.bench.ha;

import dev.holdfast.bench.ha.Pooler.Mode;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.cli.database.Address;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A primary, a synchronous standby and the monitor that promotes the standby when the primary is
 * lost. Everything is on the loopback address and in one temporary folder.
 */
final class FailoverCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final String MONITOR = "monitor";

  private final ClusterFolder folder;
  private final int monitorPort = ClusterFolder.freePort();
  private final List<Machine> machines;
  private final Thread exitHook = new Thread(this::discard, "kill-failover-cluster");
  private @Nullable Process monitor;

  private FailoverCluster(ClusterFolder folder) throws IOException {
    this.folder = folder;
    this.machines = List.of(new Machine(folder, "server-a"), new Machine(folder, "server-b"));
  }

  /** Creates a cluster and waits until its standby is synchronous. */
  static FailoverCluster create() throws Exception {
    FailoverCluster cluster = new FailoverCluster(ClusterFolder.create(Installation.find()));
    Runtime.getRuntime().addShutdownHook(cluster.exitHook);
    try {
      cluster.createMonitor();
      for (Machine machine : cluster.machines) {
        machine.create(cluster.monitorUri());
        cluster.await(
            machine.name() + " has started",
            () -> cluster.number(machine, "select count(*) from pg_database") > 0);
      }
      cluster.awaitSynchronous();
      return cluster;
    } catch (Exception failure) {
      cluster.close();
      throw failure;
    }
  }

  private void createMonitor() throws IOException, InterruptedException {
    String program = folder.installed().pgAutoctl().toString();
    String data = folder.root().resolve(MONITOR).toString();
    folder.run(
        MONITOR,
        List.of(
            program,
            "create",
            "monitor",
            "--pgdata",
            data,
            "--pgport",
            Integer.toString(monitorPort),
            "--hostname",
            "127.0.0.1",
            "--auth",
            "trust",
            "--no-ssl"));
    folder.run(
        MONITOR,
        List.of(
            program,
            "config",
            "set",
            "--pgdata",
            data,
            "postgresql.listen_addresses",
            "127.0.0.1"));
    Files.writeString(
        Path.of(data, "postgresql.conf"),
        """
        # The loss of a machine is noticed within about a second instead of 20.
        pgautofailover.health_check_period = 500
        pgautofailover.health_check_timeout = 1000
        pgautofailover.health_check_max_retries = 1
        pgautofailover.health_check_retry_delay = 300
        pgautofailover.node_considered_unhealthy_timeout = 3000
        pgautofailover.startup_grace_period = 2000
        """,
        StandardOpenOption.APPEND);
    monitor = folder.start(MONITOR, List.of(program, "run", "--pgdata", data));
  }

  private String monitorUri() {
    return "postgres://autoctl_node@127.0.0.1:%d/pg_auto_failover?sslmode=prefer"
        .formatted(monitorPort);
  }

  /**
   * Sets how long the monitor waits between the loss of a primary and the promotion of its standby.
   */
  void demoteAfter(Duration timeout) throws SQLException {
    Address address =
        new Address(
            "jdbc:postgresql://127.0.0.1:%d/pg_auto_failover".formatted(monitorPort),
            Installation.account(),
            null);
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "alter system set pgautofailover.primary_demote_timeout = " + timeout.toMillis());
      statement.execute("select pg_reload_conf()");
    }
  }

  /** Returns the URL that leads to the primary. */
  Address direct(String database) {
    return new Address(
        "jdbc:postgresql://%s/%s?targetServerType=primary"
            .formatted(
                machines.stream()
                    .map(machine -> "127.0.0.1:" + machine.port())
                    .collect(Collectors.joining(",")),
                database),
        Machine.USER,
        null);
  }

  /** Starts a pooler in front of the primary; empty if the mode needs none. */
  Optional<Pooler> pooler(Mode mode) throws Exception {
    return mode == Mode.DIRECT
        ? Optional.empty()
        : Optional.of(
            new Pooler(folder, folder.installed().pgBouncer().orElseThrow(), mode, primary()));
  }

  /** Returns the URL that leads through a pooler. */
  static Address through(Pooler pooler, Mode mode, String database) {
    return new Address(
        "jdbc:postgresql://127.0.0.1:%d/%s%s"
            .formatted(
                pooler.port(), database, mode == Mode.TRANSACTION ? "?prepareThreshold=0" : ""),
        Machine.USER,
        null);
  }

  Machine primary() throws Exception {
    return machineThat(false);
  }

  Machine standby() throws Exception {
    return machineThat(true);
  }

  private Machine machineThat(boolean recovers) throws Exception {
    for (Machine machine : machines) {
      if (number(machine, "select pg_is_in_recovery()::int") == (recovers ? 1 : 0)) {
        return machine;
      }
    }
    throw new BenchException(
        "No server of the cluster is the %s: see the logs in %s."
            .formatted(recovers ? "standby" : "primary", folder.root()));
  }

  /**
   * Waits until the loss of the primary would lose nothing: its standby is synchronous and has
   * everything that was committed before it was.
   */
  void awaitSynchronous() throws Exception {
    await(
        "the standby is synchronous",
        () -> {
          Machine primary = primary();
          return number(
                  primary,
                  """
                  select count(*) from pg_stat_replication
                  where sync_state in ('sync', 'quorum') and state = 'streaming'
                  and current_setting('synchronous_standby_names') <> ''
                  """)
              > 0;
        });
    Machine primary = primary();
    long written = number(primary, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint");
    await(
        "the standby has caught up",
        () ->
            number(
                    primary,
                    "select count(*) from pg_stat_replication"
                        + " where pg_wal_lsn_diff(flush_lsn, '0/0') >= "
                        + written)
                > 0);
    await(
        "the monitor regards both servers as healthy",
        () ->
            monitorNumber(
                    """
                    select count(*) from pgautofailover.node
                    where health = 1 and goalstate = reportedstate
                    and goalstate in ('primary', 'secondary')
                    """)
                == machines.size());
  }

  /** Stops or resumes the replication to a standby. */
  void replicate(Machine standby, boolean on) throws SQLException {
    execute(
        standby,
        Machine.USER,
        on ? "alter system reset primary_conninfo" : "alter system set primary_conninfo = ''");
    execute(standby, Machine.USER, "select pg_reload_conf()");
  }

  void execute(Machine machine, String database, String sql) throws SQLException {
    try (Connection connection = machine.address(database).connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private long number(Machine machine, String sql) throws SQLException {
    return number(machine.address(Machine.USER), sql);
  }

  private long monitorNumber(String sql) throws SQLException {
    return number(
        new Address(
            "jdbc:postgresql://127.0.0.1:%d/pg_auto_failover".formatted(monitorPort),
            Installation.account(),
            null),
        sql);
  }

  private static long number(Address address, String sql) throws SQLException {
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** A condition; an error means that it is not met yet. */
  private interface Condition {
    boolean met() throws Exception;
  }

  private void await(String what, Condition condition) throws Exception {
    long started = System.nanoTime();
    @Nullable Exception last = null;
    while (System.nanoTime() - started < PATIENCE.toNanos()) {
      try {
        if (condition.met()) {
          return;
        }
      } catch (SQLException | BenchException notYet) {
        last = notYet;
      }
      Thread.sleep(LOOK_EVERY);
    }
    throw new BenchException(
        "Within %s it did not happen that %s (%s):%n%s".formatted(PATIENCE, what, last, logs()));
  }

  private String logs() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String name : List.of(MONITOR, "server-a", "server-b")) {
      List<String> lines =
          Files.exists(folder.log(name)) ? Files.readAllLines(folder.log(name)) : List.of();
      text.append("%s:%n".formatted(name));
      lines.stream()
          .skip(Math.max(0, lines.size() - 15))
          .forEach(line -> text.append("  ").append(line).append('\n'));
    }
    return text.toString();
  }

  private void killAll() {
    if (monitor != null) {
      ClusterFolder.kill(monitor);
    }
    machines.forEach(Machine::kill);
  }

  private void discard() {
    killAll();
    try {
      folder.delete();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(exitHook);
    } catch (IllegalStateException exiting) {
      return; // The process is ending, and the hook does the rest.
    }
    discard();
  }
}
