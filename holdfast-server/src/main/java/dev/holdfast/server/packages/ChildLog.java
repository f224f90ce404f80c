package dev.holdfast.server.packages;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what the process of a tenant prints to the log of the server, as many lines a second as a
 * log can bear.
 */
final class ChildLog {
  private static final Logger log = LoggerFactory.getLogger("dev.holdfast.packages.output");
  private static final int MOST_A_SECOND = 100;

  private final String tenant;
  private long second;
  private int lines;
  private int dropped;

  ChildLog(String tenant) {
    this.tenant = tenant;
  }

  synchronized void line(String text) {
    long now = System.nanoTime() / 1_000_000_000L;
    if (now != second) {
      if (dropped > 0) {
        log.warn("[{}] {} lines were not logged", tenant, dropped);
      }
      second = now;
      lines = 0;
      dropped = 0;
    }
    if (lines >= MOST_A_SECOND) {
      dropped++;
      return;
    }
    lines++;
    if (text.startsWith("WARN ") || text.startsWith("ERROR ")) {
      log.warn("[{}] {}", tenant, text);
    } else {
      log.info("[{}] {}", tenant, text);
    }
  }
}
