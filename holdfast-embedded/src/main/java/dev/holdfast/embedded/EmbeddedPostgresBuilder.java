package dev.holdfast.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes a server before it starts. */
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
   * The port to listen on. Defaults to 0: the port of the last start while it is free, else a free
   * one, which is then remembered in the data folder.
   */
  public EmbeddedPostgresBuilder port(int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "A port is between 1 and 65535, or 0 for a free one, and not " + port + ".");
    }
    this.port = port;
    return this;
  }

  /** One of PostgreSQL's settings, such as {@code shared_buffers} (256MB unless set). */
  public EmbeddedPostgresBuilder setting(String name, String value) {
    ServerSettings.check(name, value);
    settings.put(name, value);
    return this;
  }

  /**
   * Where PostgreSQL's binaries are unpacked, once for all servers. Defaults to {@code holdfast} in
   * {@code $XDG_CACHE_HOME} or in {@code ~/.cache}.
   */
  public EmbeddedPostgresBuilder cacheFolder(Path cacheFolder) {
    this.cacheFolder = cacheFolder;
    return this;
  }

  /**
   * Whether the server is stopped when the JVM ends without {@link EmbeddedPostgres#close()}.
   * Defaults to true. The JVM runs its shutdown hooks all at once: a program that has work to drain
   * on Ctrl-C sets this to false and closes the server in its own hook, after draining.
   */
  public EmbeddedPostgresBuilder stopOnExit(boolean stopOnExit) {
    this.stopOnExit = stopOnExit;
    return this;
  }

  /** How long a start may take, recovery after a crash included. Defaults to two minutes. */
  public EmbeddedPostgresBuilder startLimit(Duration startLimit) {
    this.startLimit = startLimit;
    return this;
  }

  /** How long an orderly stop may take before the server is ended at once. Defaults to 30 s. */
  public EmbeddedPostgresBuilder stopLimit(Duration stopLimit) {
    this.stopLimit = stopLimit;
    return this;
  }

  /** Starts the server, or uses the one that already runs in the folder. */
  public EmbeddedPostgres start() {
    return EmbeddedPostgres.start(
        new Options(dataFolder, port, settings, cacheFolder, stopOnExit, startLimit, stopLimit));
  }
}
