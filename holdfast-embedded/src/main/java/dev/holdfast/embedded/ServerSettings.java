package dev.holdfast.embedded;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The server's settings: ours, and over them those that were asked for. */
record ServerSettings(Map<String, String> asked) {

  /** Included by {@code postgresql.conf}, written anew at every start. */
  static final String FILE = "holdfast.conf";

  /** Checks one setting before it is asked for. */
  static void check(String name, String value) {
    if (!name.matches("[a-z_][a-z0-9_.]*")) {
      throw new IllegalArgumentException(
          "'" + name + "' is not the name of a PostgreSQL setting: write it in lower case.");
    }
    if (value.contains("\n")) {
      throw new IllegalArgumentException("The value of " + name + " must be on one line.");
    }
    switch (name) {
      case "port" -> throw new IllegalArgumentException("Set the port with port(...).");
      case "listen_addresses" ->
          throw new IllegalArgumentException(
              "The embedded server listens on the loopback address only, so listen_addresses"
                  + " cannot be set: run a PostgreSQL server of your own to share it.");
      default -> {}
    }
  }

  /**
   * The settings as a configuration file. Two servers with the same text behave the same, which is
   * how an orphan is known to be what was asked for; so the binaries are part of it.
   */
  String text(Binaries binaries, DataFolder folder, int port) {
    Map<String, String> all = defaults(binaries, folder, port);
    all.putAll(asked);
    return "# Written at every start. Use setting(...) or ALTER SYSTEM to change a value.\n"
        + "# Binaries: %s\n".formatted(binaries.home())
        + all.entrySet().stream()
            .map(setting -> setting.getKey() + " = " + quoted(setting.getValue()))
            .collect(Collectors.joining("\n"));
  }

  private static Map<String, String> defaults(Binaries binaries, DataFolder folder, int port) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("listen_addresses", Port.LOOPBACK);
    settings.put("port", Integer.toString(port));
    settings.put("unix_socket_directories", "");
    settings.put("cluster_name", "holdfast");
    settings.put("max_connections", "100");
    settings.put("shared_buffers", "256MB");
    settings.put("fsync", "on");
    settings.put("max_wal_size", "2GB");
    settings.put("min_wal_size", "256MB");
    settings.put("checkpoint_timeout", "15min");
    settings.put("random_page_cost", "1.1");
    if (binaries.haveExtension("pg_stat_statements")) {
      settings.put("shared_preload_libraries", "pg_stat_statements");
    }
    // A file a weekday, overwritten a week later, so that the log never fills the disk for good.
    settings.put("logging_collector", "on");
    settings.put("log_directory", folder.logs().toString());
    settings.put("log_filename", "postgresql-%a.log");
    settings.put("log_truncate_on_rotation", "on");
    settings.put("log_rotation_age", "1d");
    settings.put("log_rotation_size", "0");
    return settings;
  }

  private static String quoted(String value) {
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'";
  }
}
