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
 * Distinguishes a folder of this user from one prepared by another user. A private folder is a
 * folder, not a link, is owned by this user, and is inaccessible to others; so its contents were
 * written by this user.
 */
record PrivateFolder(UserPrincipal owner) {

  static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

  /** Returns the rule for the owner of the given file or folder, which was just created. */
  static PrivateFolder likeThatOf(Path made) throws IOException {
    return new PrivateFolder(Files.getOwner(made, NOFOLLOW_LINKS));
  }

  boolean admits(Path folder) throws IOException {
    if (!Files.getFileStore(folder).supportsFileAttributeView("posix")) {
      // On Windows each user has a temp folder that other users cannot write to.
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
