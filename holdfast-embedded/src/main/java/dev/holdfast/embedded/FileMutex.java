package dev.holdfast.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A lock on a file that excludes other programs and other threads. The operating system releases it
 * when the program dies.
 */
final class FileMutex implements AutoCloseable {

  /**
   * The files locked by this JVM. Such a file must not be opened a second time: on POSIX, closing
   * any channel on a file releases all locks that the process has on it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /** Long enough for another program to unpack, initialise and recover a server. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Path file;
  private final FileChannel channel;
  private boolean held = true;

  private FileMutex(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Waits until the lock is free and acquires it. */
  static FileMutex await(Path file) {
    return Pause.untilPresent(() -> tryTake(file), PATIENCE)
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                "Another program has held the lock "
                    + file
                    + " for "
                    + PATIENCE.toMinutes()
                    + " minutes: find out what it does, and stop it if it hangs."));
  }

  /** Acquires the lock if it is free. */
  static Optional<FileMutex> tryTake(Path file) {
    if (!HELD.add(file)) {
      return Optional.empty();
    }
    boolean locked = false;
    try {
      if (Files.exists(file, NOFOLLOW_LINKS) && !Files.isRegularFile(file, NOFOLLOW_LINKS)) {
        throw new IOException("not a regular file"); // Opening a pipe would wait for its reader.
      }
      FileChannel channel = FileChannel.open(file, CREATE, WRITE, NOFOLLOW_LINKS);
      try {
        locked = channel.tryLock() != null;
        return locked ? Optional.of(new FileMutex(file, channel)) : Optional.empty();
      } finally {
        if (!locked) {
          channel.close();
        }
      }
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not lock "
              + file
              + " ("
              + e
              + "): the folder must be writable by the user that runs this program.",
          e);
    } finally {
      if (!locked) {
        HELD.remove(file);
      }
    }
  }

  @Override
  public synchronized void close() {
    if (!held) {
      return;
    }
    held = false;
    try {
      channel.close();
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not release the lock " + file + " (" + e + ").", e);
    } finally {
      HELD.remove(file);
    }
  }
}
