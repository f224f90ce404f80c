package dev.holdfast.embedded;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The settings of the server: our defaults, overridden by the requested settings. */
record ServerSettings(Map<String, String> asked) {

  /** The file included by {@code postgresql.conf} and rewritten at every start. */
  static final String FILE = "holdfast.conf";

  /** Validates one requested setting. */
  static void check(String name, String value) {
    if (!name.matches("[a-z_][a-z0-9_.]*")) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is not the name of a PostgreSQL setting: use lower-case letters, digits, '_' and"
              + " '.'.");
    }
    if (value.contains("\n")) {
      throw new IllegalArgumentException(
          "The value of " + name + " must not contain a line break.");
    }
    switch (name) {
      case "port" -> throw new IllegalArgumentException("Set the port with port(...).");
      case "listen_addresses" ->
          throw new IllegalArgumentException(
              "The embedded server listens on the loopback address only, so listen_addresses"
                  + " cannot be set: use your own PostgreSQL server for access from other"
                  + " machines.");
      default -> {}
    }
  }

  /**
   * Returns the settings as the text of a configuration file. A running server is adopted if its
   * text is the same as the requested one; therefore the text also names the binaries.
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
    // One file per weekday, overwritten a week later, so that the log does not fill the disk.
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
