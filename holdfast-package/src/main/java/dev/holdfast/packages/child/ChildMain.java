package dev.holdfast.packages.child;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The program of a process that runs the packages of one tenant. It does what its server tells it
 * on its standard input, and ends when that ends: then the server is gone.
 */
final class ChildMain {
  private static final Logger log = LoggerFactory.getLogger(ChildMain.class);

  private ChildMain() {}

  /** Works until it is told to stop. */
  public static void main(String[] none) {
    System.setIn(InputStream.nullInputStream()); // The key comes on the real one.
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8))) {
      String first = in.readLine();
      if (first != null && Orders.read(first) instanceof Orders.Start start) {
        work(in, new ChildVersions(start));
      }
    } catch (IOException | RuntimeException broken) {
      log.error("The process cannot understand its server, and ends", broken);
    }
    // Threads of packages would keep the process alive.
    Runtime.getRuntime().halt(0);
  }

  private static void work(BufferedReader in, ChildVersions versions) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Orders order = Orders.read(line);
      switch (order) {
        case Orders.Load load -> versions.load(load);
        case Orders.Unload unload -> versions.unload(unload.stack());
        case Orders.Stop stop -> {
          versions.close();
          return;
        }
        case Orders.Start again -> throw new IllegalStateException("The process has started");
      }
    }
  }

  /** Ends the process, because it cannot recover by itself. */
  static void giveUp(String why, @Nullable Throwable cause) {
    log.error("The process ends and is started again: {}", why, cause);
    Runtime.getRuntime().halt(EXIT_HUNG);
  }

  private static final int EXIT_HUNG = 4;
}
