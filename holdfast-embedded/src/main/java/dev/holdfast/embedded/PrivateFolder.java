package dev.holdfast.embedded;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/**
 * Tells a folder of this user from one that another user prepared: a folder, not a link to one,
 * owned by this user, that nobody else may enter. What is in it was put there by this user.
 */
record PrivateFolder(UserPrincipal owner) {

  static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

  /** The folders of the user that owns this one, which was just made. */
  static PrivateFolder likeThatOf(Path made) throws IOException {
    return new PrivateFolder(Files.getOwner(made, NOFOLLOW_LINKS));
  }

  boolean admits(Path folder) throws IOException {
    if (!Files.getFileStore(folder).supportsFileAttributeView("posix")) {
      // Windows gives each user a temp folder that other users cannot write to.
      return Files.isDirectory(folder, NOFOLLOW_LINKS)
          && Files.getOwner(folder, NOFOLLOW_LINKS).equals(owner);
    }
    return admits(Files.readAttributes(folder, PosixFileAttributes.class, NOFOLLOW_LINKS));
  }

  boolean admits(PosixFileAttributes folder) {
    return folder.isDirectory()
        && folder.owner().equals(owner)
        && folder.permissions().equals(OWNER_ONLY);
  }
}
