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
 * Who the server runs as.
 *
 * <p>PostgreSQL refuses to run as root, so root has to become somebody else first. A user namespace
 * is best: inside it the server has no name and no power, outside it the files stay root's. Where
 * the kernel or a container's seccomp profile forbids that, the server runs as another user, who
 * then owns the data folder.
 */
record OsAccount(Way way, String user) {

  /** How a command line is made to run as this account. */
  enum Way {
    DIRECTLY,
    USER_NAMESPACE,
    RUNUSER,
    SU
  }

  private static final String ROOT = "root";
  private static final Duration PROBE_LIMIT = Duration.ofMinutes(1);

  /** Finds an account that may use what is in {@code folder}, and that PostgreSQL accepts. */
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
                        + " could run it as somebody else: run this program as an ordinary"
                        + " user, or install util-linux (unshare, runuser)."
                    : "PostgreSQL needs the user that runs it to have a name, and user id "
                        + uid()
                        + " has none: add it to /etc/passwd."));
  }

  /** The command line that runs {@code line} as this account. */
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

  /** Checks that this account can get at a folder, apart from owning it. */
  void requireReach(Path folder) {
    if (isSomebodyElse()) {
      try {
        List<String> visit = List.of("sh", "-c", "cd \"$0\"", folder.resolveSibling("").toString());
        if (!Command.run(wrap(visit), folder, PROBE_LIMIT).succeeded()) {
          throw new EmbeddedPostgresException(
              "PostgreSQL refuses to run as root, and "
                  + user
                  + ", as whom it would run here, cannot reach "
                  + folder
                  + ": choose a data folder outside of root's home.");
        }
      } catch (IOException e) {
        throw new EmbeddedPostgresException("Could not run a command as " + this + ".", e);
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

  /** Data that an ordinary user owns stays that user's, also when root starts the server. */
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

  /** Whether a command run this way is not root, and has a name: initdb insists on both. */
  boolean works(Path workFolder) {
    try {
      Command id = Command.run(wrap(List.of("id", "-un")), workFolder, PROBE_LIMIT);
      return id.succeeded() && !id.output().equals(ROOT);
    } catch (IOException e) {
      return false; // The program that this way needs is not on this machine.
    }
  }

  private static String uid() {
    Path self = Path.of("/proc/self");
    try {
      return Files.exists(self)
          ? Files.getAttribute(self, "unix:uid").toString()
          : System.getProperty("user.name").equals(ROOT) ? "0" : "unknown";
    } catch (IOException e) {
      throw new EmbeddedPostgresException("Could not read who runs this program from " + self, e);
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
