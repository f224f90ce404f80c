package dev.holdfast.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server was asked to be.
 *
 * @param dataFolder where its data is, or null for a temporary folder
 * @param port what to listen on, or 0
 * @param cacheFolder where binaries are unpacked, or null for the usual place
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
