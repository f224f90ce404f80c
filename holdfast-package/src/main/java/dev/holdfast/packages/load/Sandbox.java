package dev.holdfast.packages.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process with code of a package may do, as far as the system allows it to be limited. On
 * Linux, a server that runs as root gives it another user without privileges. Where namespaces
 * exist, it sees only its own processes, which end with it, and a dry load has no network.
 *
 * @param namespaces whether it gets its own processes, and its own network without connections
 * @param otherUser whether it runs as another user, without privileges
 * @param limits whether the number of its processes and files can be limited
 */
public record Sandbox(boolean namespaces, boolean otherUser, boolean limits) {
  private static final Logger log = LoggerFactory.getLogger(Sandbox.class);

  /** The user and group without privileges that Linux systems have. */
  private static final int NOBODY = 65_534;

  /**
   * Users that no system gives to any other account: one for each tenant, so that none is shared.
   */
  private static final int FIRST_USER = 1_900_000_000;

  private static final int MOST_USERS = 100_000_000;

  /** How much less the processor prefers these processes to that of the server. */
  private static final int NICE = 10;

  private static final Pattern USERS =
      Pattern.compile("(?m)^Uid:\\s+\\d+\\s+(?<effective>\\d+)\\s");

  private static final List<Integer> CPUS = Cpus.allowed();
  private static final boolean ROOT = isRoot();
  private static final Sandbox OF_SYSTEM = detect();
  private static final boolean PINNED = !CPUS.isEmpty() && works(pinned(CPUS));
  private static final boolean NICER = works(nicer());
  private static final boolean USER_OF_TENANT = OF_SYSTEM.otherUser && works(as(FIRST_USER));

  /** Returns what this system allows. */
  public static Sandbox ofSystem() {
    return OF_SYSTEM;
  }

  private static Sandbox detect() {
    boolean user = ROOT && works(as(NOBODY));
    boolean spaces = ROOT && works(ownSpaces(true));
    boolean limited = works(limited());
    Sandbox found = new Sandbox(spaces, user, limited);
    log.debug("Processes with code of packages: {}", found);
    return found;
  }

  private static boolean isRoot() {
    String user = System.getProperty("user.name", "");
    try {
      return isRoot(Files.readString(Path.of("/proc/self/status")), user);
    } catch (IOException notLinux) {
      return isRoot("", user);
    }
  }

  /**
   * Returns whether a process acts as root. Its effective user decides: the system property is a
   * name, which an option of the JVM or another entry in {@code /etc/passwd} changes.
   *
   * @param status what Linux tells about the process; empty on another system
   * @param name the name of its user
   */
  static boolean isRoot(String status, String name) {
    Matcher users = USERS.matcher(status);
    return users.find() ? users.group("effective").equals("0") : name.equals("root");
  }

  /**
   * Refuses to start a process with code of a package as root, which could do everything on this
   * machine.
   *
   * @throws IllegalStateException if this process is root and cannot give another user to those
   *     that it starts
   */
  static void requireNotRoot() {
    requireNotRoot(ROOT, OF_SYSTEM);
  }

  static void requireNotRoot(boolean root, Sandbox sandbox) {
    if (root && !sandbox.otherUser()) {
      throw new IllegalStateException(
          "This program runs as root and cannot start a process as another user, so it does not run"
              + " code of packages: run it as another user, or install setpriv of util-linux and"
              + " let it change users (in a container, with the capabilities SETUID and SETGID).");
    }
  }

  private static List<String> ownSpaces(boolean network) {
    List<String> command =
        new ArrayList<>(List.of("unshare", "--pid", "--fork", "--mount-proc", "--ipc"));
    if (network) {
      command.add("--net");
    }
    return command;
  }

  private static List<String> as(int user) {
    return List.of(
        "setpriv",
        "--reuid=" + user,
        "--regid=" + user,
        "--clear-groups",
        "--no-new-privs",
        "--inh-caps=-all",
        "--bounding-set=-all",
        // The process ends with the one that started it, whatever happens to that.
        "--pdeathsig=KILL");
  }

  private static List<String> limited() {
    return limited(Limits.OF_DRY_LOAD, true);
  }

  private static List<String> limited(Limits limits, boolean threads) {
    List<String> command = new ArrayList<>();
    command.add("prlimit");
    command.add("--nofile=" + limits.files());
    if (threads) {
      command.add("--nproc=" + limits.threads());
    }
    command.add("--core=0");
    command.add("--fsize=268435456");
    return command;
  }

  private static List<String> pinned(List<Integer> cpus) {
    return List.of(
        "taskset", "-c", cpus.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }

  private static List<String> nicer() {
    return List.of("nice", "-n", String.valueOf(NICE));
  }

  /**
   * How much of the machine the process of a tenant may use.
   *
   * @param cpus how many CPUs; 0 for half of those that this process has, but at least one
   * @param files how many files and connections it may have open
   * @param threads how many threads and processes its user may have
   */
  public record Limits(int cpus, int files, int threads) {
    static final Limits OF_DRY_LOAD = new Limits(0, 1024, 512);
  }

  /**
   * Returns the start of a command that applies all limits to the process of a tenant. The number
   * of threads is limited only if the process has another user than the server, whose threads would
   * count otherwise.
   *
   * @throws IllegalStateException if the process would be root
   */
  public static List<String> prefixOf(int tenant, Limits limits) {
    requireNotRoot();
    List<String> command = new ArrayList<>();
    if (OF_SYSTEM.namespaces) {
      command.addAll(ownSpaces(false));
    }
    if (NICER) {
      command.addAll(nicer());
    }
    if (PINNED) {
      command.addAll(pinned(Cpus.ofTenant(CPUS, tenant, limits.cpus())));
    }
    if (OF_SYSTEM.limits) {
      command.addAll(limited(limits, OF_SYSTEM.otherUser));
    }
    if (OF_SYSTEM.otherUser) {
      command.addAll(as(userOf(tenant)));
    }
    return command;
  }

  private static boolean works(List<String> prefix) {
    List<String> command = new ArrayList<>(prefix);
    command.add("true");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    } catch (IOException missing) {
      return false;
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Returns the user of processes with code of a tenant. Two tenants share it only on a system that
   * has no such users: then limits for the number of processes count for both together.
   */
  public static int userOf(int tenant) {
    return USER_OF_TENANT ? FIRST_USER + Math.floorMod(tenant, MOST_USERS) : NOBODY;
  }

  /**
   * Returns a user for one dry load, which shares it with none that runs at the same time: a user
   * can do everything to its processes and files.
   */
  static int userOfDryLoad() {
    return USER_OF_TENANT
        ? FIRST_USER + MOST_USERS + ThreadLocalRandom.current().nextInt(MOST_USERS)
        : NOBODY;
  }

  /**
   * Returns the start of a command that applies the limits of a dry load, without a network.
   *
   * @param user the user that the process gets, if it gets another one
   */
  List<String> prefix(int user) {
    List<String> command = new ArrayList<>();
    if (namespaces) {
      command.addAll(ownSpaces(true));
    }
    if (limits) {
      command.addAll(limited());
    }
    if (otherUser) {
      command.addAll(as(user));
    }
    return command;
  }
}
