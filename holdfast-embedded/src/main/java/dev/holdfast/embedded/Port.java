package dev.holdfast.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;

/** Finds a port to listen on. */
final class Port {

  static final String LOOPBACK = "127.0.0.1";

  /**
   * Free ports are looked for below the range that systems give to outgoing connections. In that
   * range a client that keeps connecting to a stopped server would sooner or later be given the
   * server's own port, connect to itself, and keep the server from coming back.
   */
  private static final int LOWEST = 15_432;

  private static final int HIGHEST = 32_000;
  private static final int TRIES = 200;

  private Port() {}

  /** The port asked for, if any; else the one remembered, while it is free; else a free one. */
  static int choose(int asked, OptionalInt remembered) {
    if (asked != 0) {
      if (!isFree(asked)) {
        throw new EmbeddedPostgresException(
            "Port "
                + asked
                + " on "
                + LOOPBACK
                + " is taken by another program: stop that program, or choose another port, or 0"
                + " for any that is free.");
      }
      return asked;
    }
    if (remembered.isPresent() && isFree(remembered.getAsInt())) {
      return remembered.getAsInt();
    }
    return ThreadLocalRandom.current()
        .ints(TRIES, LOWEST, HIGHEST)
        .filter(Port::isFree)
        .findFirst()
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                "Found no free port between "
                    + LOWEST
                    + " and "
                    + HIGHEST
                    + " on "
                    + LOOPBACK
                    + ": name one with port(...)."));
  }

  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // As PostgreSQL does. On Windows it would mean that two programs may share the port.
      socket.setReuseAddress(!Platform.current().isWindows());
      socket.bind(
          new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 1);
      return true;
    } catch (IOException e) {
      return false; // Taken, or not ours to take, such as a port below 1024.
    }
  }
}
