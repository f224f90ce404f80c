package dev.holdfast.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;

/** Chooses the port to listen on. */
final class Port {

  static final String LOOPBACK = "127.0.0.1";

  /**
   * Free ports are chosen below the range that operating systems use for outgoing connections. In
   * that range, a client that keeps connecting to a stopped server would eventually be assigned the
   * server's port as its own, connect to itself, and prevent the server from starting.
   */
  private static final int LOWEST = 15_432;

  private static final int HIGHEST = 32_000;
  private static final int TRIES = 200;

  private Port() {}

  /**
   * Returns the requested port, or else the port of the last start if it is free, or a free one.
   */
  static int choose(int asked, OptionalInt remembered) {
    if (asked != 0) {
      if (!isFree(asked)) {
        throw new EmbeddedPostgresException(
            "Port "
                + asked
                + " on "
                + LOOPBACK
                + " is taken by another program: stop that program, choose another port, or use 0"
                + " for any free port.");
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
                "There is no free port between "
                    + LOWEST
                    + " and "
                    + HIGHEST
                    + " on "
                    + LOOPBACK
                    + ": set one with port(...)."));
  }

  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // As PostgreSQL does. On Windows it would let two programs share the port.
      socket.setReuseAddress(!Platform.current().isWindows());
      socket.bind(
          new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 1);
      return true;
    } catch (IOException e) {
      return false; // In use, or not permitted, such as a port below 1024.
    }
  }
}
