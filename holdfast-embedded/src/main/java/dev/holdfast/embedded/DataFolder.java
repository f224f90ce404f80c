package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The folder that contains all files of one server.
 *
 * <pre>
 * pgdata/      PostgreSQL's data directory
 * log/         one log file per weekday, overwritten after a week
 * password     the password of the superuser, readable by the owner only
 * port         the port of the last start
 * owner.lock   locked by the program that owns the server and stops it
 * start.lock   locked while the server is started or stopped
 * restoring/   exists while a backup is restored, and after a restore that was killed
 * </pre>
 */
record DataFolder(Path root) {

  static final String RESTORING = "restoring";

  private static final int PASSWORD_BYTES = 24;

  /** Opens the folder; creates it, accessible by its owner only, if it does not exist. */
  static DataFolder open(Path path) {
    try {
      if (!Files.exists(path)) {
        Files.createDirectories(path.toAbsolutePath().resolveSibling(""));
        Files.createDirectories(path);
        if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
          Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        }
      }
      DataFolder folder = new DataFolder(path.toRealPath());
      if (!Files.isDirectory(folder.root) || !Files.isWritable(folder.root)) {
        throw new EmbeddedPostgresException(
            "The data folder "
                + path
                + " is not a folder that user '"
                + System.getProperty("user.name")
                + "' can write to: choose another folder, or change its owner.");
      }
      if (Files.exists(folder.root.resolve("PG_VERSION"))) {
        throw new EmbeddedPostgresException(
            "The data folder "
                + path
                + " was created by another PostgreSQL installation: choose a separate folder for"
                + " the embedded server.");
      }
      return folder;
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "The data folder "
              + path
              + " cannot be created ("
              + e
              + "): choose another, or create it and make user '"
              + System.getProperty("user.name")
              + "' its owner.",
          e);
    }
  }

  Path pgdata() {
    return root.resolve("pgdata");
  }

  Path restoring() {
    return root.resolve(RESTORING);
  }

  /** Refuses a folder into which a backup was not restored completely. */
  void requireRestored() {
    if (Files.exists(restoring())) {
      throw new EmbeddedPostgresException(
          "A restore into the data folder %s is running or was interrupted: if it was, delete the contents of the folder and restore again."
              .formatted(root));
    }
  }

  Path logs() {
    return root.resolve("log");
  }

  Path passwordFile() {
    return root.resolve("password");
  }

  Path ownerLock() {
    return root.resolve("owner.lock");
  }

  Path startLock() {
    return root.resolve("start.lock");
  }

  /** Returns whether there is a complete database cluster; an interrupted initdb leaves none. */
  boolean initialised() {
    return Files.exists(pgdata());
  }

  /** Returns the major version of the PostgreSQL that created the database cluster. */
  String majorVersion() {
    return read(pgdata().resolve("PG_VERSION"))
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                pgdata()
                    + " is not a PostgreSQL database cluster, because it has no PG_VERSION file:"
                    + " restore it from a backup, or move it away to start with an empty one."));
  }

  Optional<String> ownerOfData() {
    try {
      return initialised() ? Optional.of(Files.getOwner(pgdata()).getName()) : Optional.empty();
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not read the owner of " + pgdata() + " (" + e + ").", e);
    }
  }

  /** Returns the password that the database cluster was created with. */
  String password() {
    return read(passwordFile())
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                "The password of the database cluster in "
                    + root
                    + " is missing: restore the file "
                    + passwordFile()
                    + "."));
  }

  /** Generates a password, unless there is one. Called before the database cluster is created. */
  void ensurePassword() {
    if (!Files.exists(passwordFile())) {
      byte[] random = new byte[PASSWORD_BYTES];
      new SecureRandom().nextBytes(random);
      write(passwordFile(), Base64.getUrlEncoder().withoutPadding().encodeToString(random));
    }
  }

  OptionalInt rememberedPort() {
    Optional<String> kept = read(root.resolve("port")).filter(text -> text.matches("\\d{1,5}"));
    return kept.isPresent() ? OptionalInt.of(Integer.parseInt(kept.get())) : OptionalInt.empty();
  }

  void rememberPort(int port) {
    write(root.resolve("port"), Integer.toString(port));
  }

  /** Returns the settings that the server was last started with. */
  Optional<String> configuration() {
    return read(configurationFile());
  }

  void configure(String text) {
    write(configurationFile(), text);
  }

  private Path configurationFile() {
    return pgdata().resolve(ServerSettings.FILE);
  }

  private static Optional<String> read(Path file) {
    try {
      return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not read "
              + file
              + " ("
              + e
              + "): it must be readable by user '"
              + System.getProperty("user.name")
              + "'.",
          e);
    }
  }

  /** Replaces a file atomically; the new file is readable by its owner only. */
  private static void write(Path file, String text) {
    try {
      // Temporary files are created with mode 600.
      Path draft = Files.createTempFile(file.resolveSibling(""), ".", ".new");
      Files.writeString(draft, text + "\n", UTF_8);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not write " + file + " (" + e + "): is the disk full, or the folder read-only?",
          e);
    }
  }
}
