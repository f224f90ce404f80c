package dev.holdfast.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Configures and starts an {@link EmbeddedPostgres}. */
public final class EmbeddedPostgresBuilder {

  private final @Nullable Path dataFolder;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private int port;
  private @Nullable Path cacheFolder;
  private boolean stopOnExit = true;
  private Duration startLimit = Duration.ofMinutes(2);
  private Duration stopLimit = Duration.ofSeconds(30);

  EmbeddedPostgresBuilder(@Nullable Path dataFolder) {
    this.dataFolder = dataFolder;
  }

  /**
   * Sets the port to listen on. Defaults to 0, which means the port of the last start if it is
   * free, otherwise a free port, which is then stored in the data folder.
   */
  public EmbeddedPostgresBuilder port(int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "Port " + port + " is not valid: use 1 to 65535, or 0 for a free port.");
    }
    this.port = port;
    return this;
  }

  /**
   * Sets a PostgreSQL setting, such as {@code shared_buffers}. The port is set with {@link #port};
   * {@code listen_addresses} cannot be set. Defaults to PostgreSQL's own default for most settings,
   * and to 256MB for {@code shared_buffers}.
   */
  public EmbeddedPostgresBuilder setting(String name, String value) {
    ServerSettings.check(name, value);
    settings.put(name, value);
    return this;
  }

  /**
   * Sets the folder into which PostgreSQL's binaries are unpacked, once for all servers. Defaults
   * to {@code holdfast} in {@code $XDG_CACHE_HOME} or in {@code ~/.cache}.
   */
  public EmbeddedPostgresBuilder cacheFolder(Path cacheFolder) {
    this.cacheFolder = cacheFolder;
    return this;
  }

  /**
   * Sets whether the server is stopped if the JVM ends without {@link EmbeddedPostgres#close()}.
   * The JVM runs all shutdown hooks concurrently: if your program drains work on Ctrl-C, set this
   * to false and close the server in your own hook, after draining. Defaults to true.
   */
  public EmbeddedPostgresBuilder stopOnExit(boolean stopOnExit) {
    this.stopOnExit = stopOnExit;
    return this;
  }

  /**
   * Sets how long a start may take, including crash recovery, before it fails. Defaults to 2
   * minutes.
   */
  public EmbeddedPostgresBuilder startLimit(Duration startLimit) {
    this.startLimit = startLimit;
    return this;
  }

  /**
   * Sets how long a clean shutdown may take before the server is stopped immediately, which
   * requires recovery at the next start. Defaults to 30 s.
   */
  public EmbeddedPostgresBuilder stopLimit(Duration stopLimit) {
    this.stopLimit = stopLimit;
    return this;
  }

  /** Starts the server, or uses the one that is already running on the data folder. */
  public EmbeddedPostgres start() {
    return EmbeddedPostgres.start(
        new Options(dataFolder, port, settings, cacheFolder, stopOnExit, startLimit, stopLimit));
  }
}
