package dev.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The operating system account that the server runs as.
 *
 * <p>PostgreSQL refuses to run as root, so root has to switch to another account first. The best
 * way is a user namespace: inside it the server has no user name and no privileges, and outside it
 * the files are still owned by root. If the kernel or a container's seccomp profile forbids user
 * namespaces, the server runs as another user, which then owns the data folder.
 */
record OsAccount(Way way, String user) {

  /** How a command is run as this account. */
  enum Way {
    DIRECTLY,
    USER_NAMESPACE,
    RUNUSER,
    SU
  }

  private static final String ROOT = "root";
  private static final Duration PROBE_LIMIT = Duration.ofMinutes(1);

  /** Finds an account that PostgreSQL accepts and that can use the files in {@code folder}. */
  static OsAccount forFolder(Path folder, Optional<String> ownerOfData) {
    if (!Platform.current().isLinux() && !isRoot()) {
      return new OsAccount(Way.DIRECTLY, "");
    }
    List<OsAccount> candidates = candidates(ownerOfData);
    return candidates.stream()
        .filter(candidate -> candidate.works(folder))
        .findFirst()
        .orElseThrow(() ->
            new EmbeddedPostgresException(
                isRoot()
                    ? "PostgreSQL refuses to run as root, and none of "
                        + candidates
                        + " can run it as another user: run this program as an ordinary user, or"
                        + " install util-linux (unshare, runuser)."
                    : "PostgreSQL requires the user that runs it to have a name, and user id "
                        + uid()
                        + " has none: add it to /etc/passwd."));
  }

  /** Returns the command line that runs {@code line} as this account. */
  List<String> wrap(List<String> line) {
    return switch (way) {
      case DIRECTLY -> line;
      case USER_NAMESPACE -> concat(List.of("unshare", "-U"), line);
      case RUNUSER -> concat(List.of("runuser", "-u", user, "--"), line);
      case SU -> List.of("su", "-s", "/bin/sh", "-c", "exec " + quoted(line), user);
    };
  }

  boolean isSomebodyElse() {
    return way == Way.RUNUSER || way == Way.SU;
  }

  /** Checks that this account can access the parent of a folder, which it need not own. */
  void requireReach(Path folder) {
    if (isSomebodyElse()) {
      try {
        List<String> visit = List.of("sh", "-c", "cd \"$0\"", folder.resolveSibling("").toString());
        if (!Command.run(wrap(visit), folder, PROBE_LIMIT).succeeded()) {
          throw new EmbeddedPostgresException(
              "PostgreSQL refuses to run as root, and user '"
                  + user
                  + "', which it would run as instead, cannot access "
                  + folder
                  + ": choose a data folder outside root's home directory.");
        }
      } catch (IOException e) {
        throw new EmbeddedPostgresException(
            "Could not run a command with '" + this + "' (" + e + ").", e);
      }
    }
  }

  /** Makes this account the owner of a file or folder, and of everything in it. */
  void takeOver(Path root) throws IOException {
    if (!isSomebodyElse()) {
      return;
    }
    UserPrincipal owner =
        root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
    FileTrees.give(root, owner);
  }

  @Override
  public String toString() {
    return switch (way) {
      case DIRECTLY -> "the user that runs this program";
      case USER_NAMESPACE -> "unshare -U";
      case RUNUSER -> "runuser -u " + user;
      case SU -> "su " + user;
    };
  }

  static boolean isRoot() {
    return uid().equals("0");
  }

  /** Data owned by an ordinary user keeps its owner, even if root starts the server. */
  private static List<OsAccount> candidates(Optional<String> ownerOfData) {
    if (!isRoot()) {
      return List.of(new OsAccount(Way.DIRECTLY, ""), new OsAccount(Way.USER_NAMESPACE, ""));
    }
    List<OsAccount> candidates = new ArrayList<>();
    List<String> users = List.of("postgres", "nobody");
    if (ownerOfData.isPresent() && !ownerOfData.get().equals(ROOT)) {
      users = List.of(ownerOfData.get());
    } else {
      candidates.add(new OsAccount(Way.USER_NAMESPACE, ""));
    }
    for (String user : users) {
      candidates.add(new OsAccount(Way.RUNUSER, user));
      candidates.add(new OsAccount(Way.SU, user));
    }
    return candidates;
  }

  /**
   * Returns whether a command run this way has a user name that is not root, as initdb requires.
   */
  boolean works(Path workFolder) {
    try {
      Command id = Command.run(wrap(List.of("id", "-un")), workFolder, PROBE_LIMIT);
      return id.succeeded() && !id.output().equals(ROOT);
    } catch (IOException e) {
      return false; // This machine does not have the program that this way needs.
    }
  }

  private static String uid() {
    Path self = Path.of("/proc/self");
    try {
      return Files.exists(self)
          ? Files.getAttribute(self, "unix:uid").toString()
          : System.getProperty("user.name").equals(ROOT) ? "0" : "unknown";
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not read the user id of this process from " + self + " (" + e + ").", e);
    }
  }

  private static List<String> concat(List<String> prefix, List<String> line) {
    return Stream.concat(prefix.stream(), line.stream()).toList();
  }

  private static String quoted(List<String> line) {
    return String.join(
        " ", line.stream().map(word -> "'" + word.replace("'", "'\\''") + "'").toList());
  }
}
