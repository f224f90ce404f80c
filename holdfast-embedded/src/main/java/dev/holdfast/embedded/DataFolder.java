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
 * The folder that holds everything one server is.
 *
 * <pre>
 * pgdata/      PostgreSQL's own data
 * log/         one log file a weekday, overwritten after a week
 * password     of the superuser, readable for its owner only
 * port         the port of the last start
 * owner.lock   held by the program that will stop the server
 * start.lock   held while the server is brought up or down
 * </pre>
 */
record DataFolder(Path root) {

  private static final int PASSWORD_BYTES = 24;

  /** Makes the folder if need be, for its owner only. */
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
                + " is not a folder that "
                + System.getProperty("user.name")
                + " may write to: choose another, or change its owner.");
      }
      if (Files.exists(folder.root.resolve("PG_VERSION"))) {
        throw new EmbeddedPostgresException(
            "The data folder "
                + path
                + " was made by another PostgreSQL installation: choose a folder of its own for"
                + " the embedded server.");
      }
      return folder;
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "The data folder "
              + path
              + " cannot be made ("
              + e
              + "): choose another, or make it and give it to "
              + System.getProperty("user.name")
              + ".",
          e);
    }
  }

  Path pgdata() {
    return root.resolve("pgdata");
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

  /** Whether there is a complete cluster; an interrupted initdb leaves none. */
  boolean initialised() {
    return Files.exists(pgdata());
  }

  /** The major version of the PostgreSQL that made the cluster. */
  String majorVersion() {
    return read(pgdata().resolve("PG_VERSION"))
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                pgdata()
                    + " is not a PostgreSQL cluster, it has no PG_VERSION: restore it from a"
                    + " backup, or move it away to begin anew."));
  }

  Optional<String> ownerOfData() {
    try {
      return initialised() ? Optional.of(Files.getOwner(pgdata()).getName()) : Optional.empty();
    } catch (IOException e) {
      throw new EmbeddedPostgresException("Could not read who owns " + pgdata() + ".", e);
    }
  }

  /** The password that the cluster was made with. */
  String password() {
    return read(passwordFile())
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                "The password of the cluster in "
                    + root
                    + " is gone: restore the file "
                    + passwordFile()
                    + "."));
  }

  /** Makes up a password for a cluster that is yet to be made. */
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

  /** The settings that the server was last started with. */
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
              + "): it must be readable for "
              + System.getProperty("user.name")
              + ".",
          e);
    }
  }

  /** Replaces a file at once, readable for its owner only. */
  private static void write(Path file, String text) {
    try {
      // Temporary files are made with mode 600.
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
