package dev.holdfast.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requested configuration of a server.
 *
 * @param dataFolder the data folder, or null for a temporary folder
 * @param port the port to listen on, or 0 for any
 * @param cacheFolder the folder for unpacked binaries, or null for the default
 */
record Options(
    @Nullable Path dataFolder,
    int port,
    Map<String, String> settings,
    @Nullable Path cacheFolder,
    boolean stopOnExit,
    Duration startLimit,
    Duration stopLimit) {

  Options {
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  boolean temporary() {
    return dataFolder == null;
  }
}
