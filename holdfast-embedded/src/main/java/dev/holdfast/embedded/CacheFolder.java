package dev.holdfast.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The folder for unpacked binaries, shared by all programs of one user. */
final class CacheFolder {

  private CacheFolder() {}

  /** Creates the requested folder, or the first of the default folders that can be created. */
  static Path open(@Nullable Path asked, OsAccount account) {
    Path folder = asked != null ? asked : usual(account, System.getenv());
    try {
      return Files.createDirectories(folder).toRealPath();
    } catch (IOException e) {
      if (asked == null && !account.isSomebodyElse()) {
        return inTemp(Path.of(System.getProperty("java.io.tmpdir")), folder, e);
      }
      throw unusable(folder, e);
    }
  }

  static Path usual(OsAccount account, Map<String, String> environment) {
    if (account.isSomebodyElse()) {
      // Another user cannot read root's home directory.
      return Path.of("/var/cache/holdfast");
    }
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    Path caches = xdg.isBlank() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
    return caches.resolve("holdfast");
  }

  /** Returns a folder in the temp folder, for a user without a home, as in many containers. */
  static Path inTemp(Path temp, Path unusable, IOException why) {
    Path folder =
        temp.resolve("holdfast-cache-" + System.getProperty("user.name").replaceAll("\\W", "_"));
    try {
      if (!Files.exists(folder, NOFOLLOW_LINKS)) {
        Files.createDirectory(
            folder, PosixFilePermissions.asFileAttribute(PrivateFolder.OWNER_ONLY));
      }
      // Every user can write to the temp folder: never run a binary that another user put there.
      Path mine = Files.createTempFile(temp, "holdfast-owner-", "");
      PrivateFolder ours = PrivateFolder.likeThatOf(mine);
      Files.delete(mine);
      if (ours.admits(folder)) {
        return folder.toRealPath();
      }
      throw unusable(unusable, why);
    } catch (IOException | UnsupportedOperationException e) {
      throw unusable(unusable, why);
    }
  }

  private static EmbeddedPostgresException unusable(Path folder, IOException why) {
    return new EmbeddedPostgresException(
        "The cache folder "
            + folder
            + " cannot be created ("
            + why
            + "): set XDG_CACHE_HOME, or set another folder with cacheFolder(...).",
        why);
  }
}
