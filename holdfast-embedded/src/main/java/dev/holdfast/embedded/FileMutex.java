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
 * A lock on a file, against other programs and other threads, that the operating system drops when
 * the program dies.
 */
final class FileMutex implements AutoCloseable {

  /**
   * The files locked by this JVM. Such a file must not even be opened a second time: on POSIX,
   * closing any channel on a file drops every lock that the process has on it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /** Long enough for another program to unpack, initialise and recover. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Path file;
  private final FileChannel channel;
  private boolean held = true;

  private FileMutex(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Waits until the lock is free and takes it. */
  static FileMutex await(Path file) {
    return Pause.untilPresent(() -> tryTake(file), PATIENCE)
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                "Another program has held the lock "
                    + file
                    + " for "
                    + PATIENCE
                    + ": look what it does, and end it if it hangs."));
  }

  /** Takes the lock, unless somebody has it. */
  static Optional<FileMutex> tryTake(Path file) {
    if (!HELD.add(file)) {
      return Optional.empty();
    }
    boolean locked = false;
    try {
      if (Files.exists(file, NOFOLLOW_LINKS) && !Files.isRegularFile(file, NOFOLLOW_LINKS)) {
        throw new IOException("not a regular file"); // To open a pipe would wait for its reader.
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
              + "): the folder must be writable for the user that runs this program.",
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
      throw new EmbeddedPostgresException("Could not let go of the lock " + file + ".", e);
    } finally {
      HELD.remove(file);
    }
  }
}
