package dev.holdfast.packages.load;

import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.workflow.WorkflowCatalog;
import dev.holdfast.packages.jar.InvalidPackageException;
import dev.holdfast.packages.jar.PackageContents;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Loads a package once, in a separate process with a small heap, a time limit, no environment and,
 * where the system allows it, no network and another user, to learn what it contains.
 *
 * <p>Code of the package runs in that process and could print a false result. That would deceive
 * only the tenant that uploads it: jobs of tasks that it does not have would not be found.
 */
public final class DryLoad {
  private static final int MOST_OUTPUT = 4 << 20;
  private static final int SHOWN = 400;
  private static final int EXIT_OUT_OF_MEMORY = 3;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /**
   * What a package may use.
   *
   * @param atMost how long it may take
   * @param heapMegabytes the size of the heap
   */
  public record Settings(Duration atMost, int heapMegabytes) {
    public static final Settings DEFAULT = new Settings(Duration.ofSeconds(20), 64);
  }

  private final Settings settings;
  private final Sandbox sandbox;
  private final Path temporary;

  public DryLoad(Settings settings) {
    this(settings, Sandbox.ofSystem(), Path.of(System.getProperty("java.io.tmpdir")));
  }

  DryLoad(Settings settings, Sandbox sandbox, Path temporary) {
    this.settings = settings;
    this.sandbox = sandbox;
    this.temporary = temporary;
  }

  /**
   * Loads a package.
   *
   * @throws InvalidPackageException if it cannot be loaded, or one of its workflows is not valid
   */
  public PackageContents load(Path jar) throws IOException, InterruptedException {
    requireNotRoot();
    Path folder = Files.createTempDirectory(temporary, "holdfast-package");
    int user = Sandbox.userOfDryLoad();
    try {
      // In a folder whose name nobody can list: where no user can be reserved for this dry load,
      // others that run at the same time have the same one.
      Path inner = Files.createDirectory(folder.resolve(UUID.randomUUID().toString()));
      Path copy = inner.resolve("package.jar");
      Files.copy(jar, copy);
      List<Path> classPath =
          sandbox.otherUser()
              ? ChildClassPath.copiedTo(Files.createDirectory(inner.resolve("lib")))
              : ChildClassPath.inPlace();
      if (sandbox.otherUser()) {
        permitReading(inner, user);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
      }
      return load(user, command(user, classPath, copy), inner);
    } finally {
      delete(folder);
    }
  }

  private static void requireNotRoot() {
    try {
      Sandbox.requireNotRoot();
    } catch (IllegalStateException root) {
      throw failed(String.valueOf(root.getMessage()));
    }
  }

  /** Lets the user of the process read what this process owns, and nobody else. */
  private static void permitReading(Path folder, int user) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.toList()) {
        Files.setAttribute(path, "unix:gid", user, LinkOption.NOFOLLOW_LINKS);
        Files.setPosixFilePermissions(
            path,
            PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwxr-x---" : "rw-r-----"));
      }
    }
  }

  private List<String> command(int user, List<Path> classPath, Path jar) {
    List<String> command = new ArrayList<>(sandbox.prefix(user));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx%dm".formatted(settings.heapMegabytes()),
            "-XX:MaxMetaspaceSize=128m",
            "-XX:MaxDirectMemorySize=16m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:ActiveProcessorCount=1",
            "-XX:-UsePerfData",
            "-XX:+DisableAttachMechanism",
            "-cp",
            ChildClassPath.text(classPath),
            DryLoadMain.class.getName(),
            jar.toString()));
    return command;
  }

  private PackageContents load(int user, List<String> command, Path folder)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    String path = System.getenv("PATH");
    builder.environment().clear();
    if (path != null && !sandbox.prefix(user).isEmpty()) {
      builder.environment().put("PATH", path); // To find the programs that apply the limits.
    }
    String word = UUID.randomUUID().toString().replace("-", "");
    Process process = builder.start();
    Reading out = Reading.start(process.getInputStream());
    Reading err = Reading.start(process.getErrorStream());
    try {
      send(process, word);
      if (!process.waitFor(settings.atMost().toMillis(), TimeUnit.MILLISECONDS)) {
        throw failed(
            "It did not end within %d s: a static initialiser, a constructor or configure() of a module waits or loops."
                .formatted(settings.atMost().toSeconds()));
      }
      return result(process.exitValue(), word, out.text(), err.text());
    } finally {
      kill(process);
    }
  }

  /** A package may have ended the process already. */
  private static void send(Process process, String word) {
    try (OutputStream in = process.getOutputStream()) {
      in.write(word.getBytes(StandardCharsets.UTF_8));
    } catch (IOException ended) {
      return; // The exit code tells how.
    }
  }

  /** Children first: once their parent is gone, they cannot be found. */
  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private PackageContents result(int exit, String word, String out, String err) {
    int start = out.indexOf(word);
    if (exit != 0 || start < 0) {
      boolean full = exit == EXIT_OUT_OF_MEMORY && (out + err).contains("OutOfMemoryError");
      throw failed(
          full
              ? "It needs more memory than %d MB to be loaded: create large objects when a task runs, and not when its class is loaded."
                  .formatted(settings.heapMegabytes())
              : "It ended the process with exit code %d: a module must not call System.exit.%s"
                  .formatted(exit, shown(err)));
    }
    int end = out.indexOf('\n', start);
    JsonNode json = json(out.substring(start + word.length(), end < 0 ? out.length() : end));
    List<String> errors = texts(json.path("errors"));
    if (!errors.isEmpty()) {
      throw new InvalidPackageException(errors);
    }
    Map<String, String> workflows = new LinkedHashMap<>();
    json.path("workflows")
        .properties()
        .forEach(each -> workflows.put(each.getKey(), each.getValue().asString()));
    List<Definitions.Definition> graphs = new ArrayList<>();
    for (JsonNode each : json.path("graphs")) {
      Definitions.Definition graph =
          new Definitions.Definition(
              each.path("hash").asString(),
              each.path("name").asString(),
              each.path("format").asInt(),
              each.path("body").asString());
      try {
        WorkflowCatalog.check(graph);
      } catch (IllegalArgumentException invalid) {
        throw failed(String.valueOf(invalid.getMessage()));
      }
      graphs.add(graph);
    }
    return new PackageContents(texts(json.path("tasks")), workflows, graphs);
  }

  /** A package can print whatever it wants, and what it has is cut if it is too much. */
  private static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException cut) {
      throw failed(
          "The description of its tasks and workflows cannot be read: it has more than %d MB, or the package has printed a part of it. Divide the package into smaller ones."
              .formatted(MOST_OUTPUT >> 20));
    }
  }

  private static String shown(String err) {
    String last = err.strip();
    return last.isEmpty() ? "" : " It said: " + last.substring(0, Math.min(SHOWN, last.length()));
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(each -> texts.add(each.asString()));
    return texts;
  }

  private static InvalidPackageException failed(String why) {
    return new InvalidPackageException(List.of("The package cannot be loaded. " + why));
  }

  private static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Reads what a process prints to its end, and keeps the start of it. */
  private record Reading(Thread thread, StringBuilder kept) {
    static Reading start(InputStream in) {
      StringBuilder kept = new StringBuilder();
      Thread thread =
          Thread.ofVirtual()
              .start(() -> {
                byte[] piece = new byte[8192];
                try (in) {
                  for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                    if (kept.length() < MOST_OUTPUT) {
                      kept.append(new String(piece, 0, n, StandardCharsets.ISO_8859_1));
                    }
                  }
                } catch (IOException ended) {
                  return; // What was read until now counts.
                }
              });
      return new Reading(thread, kept);
    }

    /** Returns what was printed. A process that it has left behind may keep the stream open. */
    String text() throws InterruptedException {
      if (!thread.join(Duration.ofSeconds(2))) {
        return "";
      }
      return new String(
          kept.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
  }
}
