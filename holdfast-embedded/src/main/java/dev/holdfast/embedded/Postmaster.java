package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

/**
 * The state of the server of a database cluster, according to {@code postmaster.pid} and the
 * processes on this machine.
 */
sealed interface Postmaster {

  /** There is no server, and the last one was shut down cleanly. */
  record Absent() implements Postmaster {}

  /** The server died; PostgreSQL recovers at the next start. */
  record Dead(long pid) implements Postmaster {}

  /**
   * The server died, and its process id now belongs to something else: to another program after a
   * reboot, to a thread of this program in a new container, or to the server's own zombie if no
   * parent process reaps it. PostgreSQL would assume that the server still runs, and refuse to
   * start.
   */
  record Mistaken(long pid) implements Postmaster {}

  /** The server is running; {@code port} is 0 until it listens. */
  record Running(long pid, int port) implements Postmaster {}

  /** The most to read of the file, in which PostgreSQL writes eight short lines and a path. */
  int MOST_BYTES = 16_384;

  static Path file(Path pgdata) {
    return pgdata.resolve("postmaster.pid");
  }

  static Postmaster of(Path pgdata) {
    try {
      List<String> lines = lines(file(pgdata));
      long pid = Math.abs(number(lines, 0));
      return pid == 0 ? new Absent() : judge(pid, (int) number(lines, 3), pgdata);
    } catch (NoSuchFileException e) {
      return new Absent();
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not read " + file(pgdata) + " (" + e + "): check the owner of the data folder.",
          e);
    }
  }

  /** Reads only a regular file: reading a pipe or a device in its place might never end. */
  private static List<String> lines(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS).isRegularFile()) {
      throw new IOException("not a regular file");
    }
    try (InputStream in = Files.newInputStream(file, NOFOLLOW_LINKS)) {
      return new String(in.readNBytes(MOST_BYTES), UTF_8).lines().toList();
    }
  }

  /** Returns whether a process is alive and not a zombie. */
  static boolean lives(ProcessHandle process) {
    return process.isAlive() && !isZombie(proc(process.pid()));
  }

  private static Postmaster judge(long pid, int port, Path pgdata) throws IOException {
    Optional<ProcessHandle> process = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    if (process.isEmpty()) {
      return new Dead(pid);
    }
    boolean mistaken =
        process.get().info().command().filter(command -> !isPostgres(command)).isPresent()
            || isZombie(proc(pid))
            || worksElsewhere(proc(pid), pgdata);
    return mistaken ? new Mistaken(pid) : new Running(pid, port);
  }

  private static Path proc(long pid) {
    return Path.of("/proc", Long.toString(pid));
  }

  private static boolean isPostgres(String command) {
    Path name = Path.of(command).getFileName();
    // Linux appends " (deleted)" to the name of a program that was replaced while running.
    return name != null && name.toString().startsWith("postgres");
  }

  private static boolean isZombie(Path proc) {
    try {
      String stat = Files.readString(proc.resolve("stat"));
      return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return false; // No /proc on this system, or the process just ended.
    }
  }

  /** Returns whether the working directory is not this cluster, as it is for its postmaster. */
  private static boolean worksElsewhere(Path proc, Path pgdata) {
    try {
      Path folder = Files.readSymbolicLink(proc.resolve("cwd"));
      return !folder.equals(pgdata);
    } catch (IOException | UnsupportedOperationException e) {
      return false; // No /proc on this system, or another user's process.
    }
  }

  private static long number(List<String> lines, int index) {
    if (lines.size() <= index || !lines.get(index).strip().matches("-?\\d{1,18}")) {
      return 0;
    }
    return Long.parseLong(lines.get(index).strip());
  }
}
