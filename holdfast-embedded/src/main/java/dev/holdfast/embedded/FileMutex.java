package dev.holdfast.embedded;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a file, against other programs and other threads, that the operating system drops when
 * the program dies.
 */
final class FileMutex implements AutoCloseable {

  /**
   * One permit a file in this JVM. A file must not even be opened twice here: on POSIX, closing any
   * channel on a file drops every lock the process has on it.
   */
  private static final Map<Path, Semaphore> PERMITS = new ConcurrentHashMap<>();

  private final Path file;
  private final Semaphore permit;
  private final FileChannel channel;
  private boolean held = true;

  private FileMutex(Path file, Semaphore permit, FileChannel channel) {
    this.file = file;
    this.permit = permit;
    this.channel = channel;
  }

  /** Waits until the lock is free and takes it. */
  static FileMutex await(Path file) {
    Semaphore permit = permitFor(file);
    permit.acquireUninterruptibly();
    return lock(file, permit, FileChannel::lock)
        .orElseThrow(() -> new IllegalStateException("no lock on " + file));
  }

  /** Takes the lock, unless somebody has it. */
  static Optional<FileMutex> tryTake(Path file) {
    Semaphore permit = permitFor(file);
    return permit.tryAcquire() ? lock(file, permit, FileChannel::tryLock) : Optional.empty();
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
      permit.release();
    }
  }

  private static Optional<FileMutex> lock(Path file, Semaphore permit, Locking locking) {
    FileChannel channel = null;
    boolean locked = false;
    try {
      channel = FileChannel.open(file, CREATE, WRITE);
      locked = locking.lock(channel) != null;
      return locked ? Optional.of(new FileMutex(file, permit, channel)) : Optional.empty();
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
        abandon(channel, permit);
      }
    }
  }

  private static void abandon(@Nullable FileChannel channel, Semaphore permit) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw new EmbeddedPostgresException("Could not close a lock file.", e);
    } finally {
      permit.release();
    }
  }

  private static Semaphore permitFor(Path file) {
    return PERMITS.computeIfAbsent(file, path -> new Semaphore(1));
  }

  private interface Locking {
    @Nullable FileLock lock(FileChannel channel) throws IOException;
  }
}
