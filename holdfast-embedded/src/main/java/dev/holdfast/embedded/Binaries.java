package dev.holdfast.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The unpacked PostgreSQL programs. */
record Binaries(Path home, String version) {

  private static final Logger log = LoggerFactory.getLogger(Binaries.class);
  private static final Pattern FOLDER = Pattern.compile("postgresql-(.+)-([0-9a-f]{8})");
  private static final Pattern SAID_VERSION = Pattern.compile("\\(PostgreSQL\\) (\\S+)");
  private static final String UNFINISHED = "unpacking-";

  /**
   * Finds the binaries in the cache, or unpacks them there. A folder gets its final name only when
   * it is complete, so a folder with that name can be used without further checks.
   */
  static Binaries in(Path cache) {
    Archive archive = Archive.forPlatform(Platform.current());
    try {
      String checksum = archive.checksum();
      Optional<Binaries> ready = find(cache, checksum);
      if (ready.isPresent()) {
        return ready.get();
      }
      try (FileMutex turn = FileMutex.await(cache.resolve("unpack.lock"))) {
        Optional<Binaries> meanwhile = find(cache, checksum);
        return meanwhile.isPresent() ? meanwhile.get() : unpack(archive, checksum, cache);
      }
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "PostgreSQL could not be unpacked into "
              + cache
              + " ("
              + e
              + "): it needs 100 MB; free some space, or set another folder with"
              + " cacheFolder(...).",
          e);
    }
  }

  /** Returns the path of {@code initdb}, {@code pg_ctl} or {@code postgres}. */
  String program(String name) {
    return home.resolve("bin")
        .resolve(Platform.current().isWindows() ? name + ".exe" : name)
        .toString();
  }

  /** Returns the major version, which decides which data folders can be opened. */
  String major() {
    return version.split("\\.", 2)[0];
  }

  boolean haveExtension(String name) {
    String control = name + ".control";
    return Files.exists(home.resolve("share/postgresql/extension").resolve(control))
        || Files.exists(home.resolve("share/extension").resolve(control));
  }

  private static Optional<Binaries> find(Path cache, String checksum) throws IOException {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(cache, "postgresql-*")) {
      for (Path folder : folders) {
        Matcher name = FOLDER.matcher(folder.getFileName().toString());
        if (name.matches() && name.group(2).equals(checksum)) {
          return Optional.of(new Binaries(folder, name.group(1)));
        }
      }
    }
    return Optional.empty();
  }

  private static Binaries unpack(Archive archive, String checksum, Path cache) throws IOException {
    long started = System.nanoTime();
    try (DirectoryStream<Path> halves = Files.newDirectoryStream(cache, UNFINISHED + "*")) {
      for (Path half : halves) {
        FileTrees.delete(half);
      }
    }
    Path unfinished = cache.resolve(UNFINISHED + checksum);
    archive.unpackInto(unfinished);
    flush(unfinished);
    String version = ask(new Binaries(unfinished, "unknown"));
    Path home = cache.resolve("postgresql-" + version + "-" + checksum);
    Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
    log.info(
        "Unpacked PostgreSQL {} into {} in {} ms",
        version,
        home,
        Duration.ofNanos(System.nanoTime() - started).toMillis());
    return new Binaries(home, version);
  }

  /**
   * Writes all files to disk. Without it, a power failure after the rename could leave a folder of
   * empty files. One call for the file system, because syncing a thousand files one by one takes
   * seconds.
   */
  private static void flush(Path folder) {
    if (!Platform.current().isLinux()) {
      return;
    }
    try {
      Command.run(List.of("sync", "-f", "."), folder, Duration.ofMinutes(1));
    } catch (IOException e) {
      log.debug("Could not run sync; the operating system will write {} to disk later", folder, e);
    }
  }

  private static String ask(Binaries unpacked) throws IOException {
    List<String> question = List.of(unpacked.program("postgres"), "--version");
    Command result = Command.run(question, unpacked.home, Duration.ofMinutes(1));
    Matcher version = SAID_VERSION.matcher(result.output());
    if (!result.succeeded() || !version.find()) {
      throw new EmbeddedPostgresException(
          "The binaries in "
              + unpacked.home
              + " do not run on this machine ("
              + result.output()
              + "): use your own PostgreSQL server instead.");
    }
    return version.group(1);
  }
}
