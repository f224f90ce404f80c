package dev.holdfast.packages.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.packages.jar.InvalidPackageException;
import dev.holdfast.packages.jar.PackageContents;
import dev.holdfast.tck.program.UserJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages that are loaded in a separate process. */
class DryLoadTest {
  private static final String TASKS =
      """
        static final TaskType<String, String> PACK = TaskType.of("shop::pack", String.class, String.class);
        static final Workflow<String, Void> FULFIL =
            Workflow.define("shop::fulfil", String.class, flow -> flow.step("pack", PACK, flow.input()));
      """;
  private static final String CONFIGURE =
      """
          binder.handle(PACK, (text, context) -> text);
          binder.workflow(FULFIL);
      """;

  @TempDir private Path folder;

  private PackageContents load(String members, String configure) throws Exception {
    return load(members, configure, Duration.ofSeconds(60));
  }

  private PackageContents load(String members, String configure, Duration atMost) throws Exception {
    String jar = new UserJar(folder.resolve("shop")).module("Shop", members, configure).jar();
    return new DryLoad(new DryLoad.Settings(atMost, 32)).load(Path.of(jar));
  }

  private void assertRefused(String members, String configure, String because) {
    assertThatThrownBy(() -> load(members, configure))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining(because);
  }

  @Test
  void tasksAndWorkflowsAreFound() throws Exception {
    PackageContents contents =
        load(
            TASKS + "  static { System.out.println(\"{}\"); System.err.println(\"loaded\"); }",
            CONFIGURE);

    assertThat(contents.tasks()).containsExactly("shop::pack");
    assertThat(contents.workflows()).containsOnlyKeys("shop::fulfil");
    assertThat(contents.workflows().get("shop::fulfil")).hasSize(64);
    assertThat(contents.graphs()).extracting("name").containsExactly("shop::fulfil");
  }

  @Test
  void aJarThatOnlyItsOwnerMayReadIsLoaded() throws Exception {
    Path jar = Path.of(new UserJar(folder.resolve("shop")).module("Shop", TASKS, CONFIGURE).jar());
    assertThat(jar.toFile().setReadable(false, false)).isTrue();
    assertThat(jar.toFile().setReadable(true, true)).isTrue();

    assertThat(new DryLoad(DryLoad.Settings.DEFAULT).load(jar).tasks())
        .containsExactly("shop::pack");
  }

  @Test
  void aPackageThatStartsThreadsIsLoaded() throws Exception {
    PackageContents contents =
        load(TASKS + "  static { new Thread(() -> { while (true) {} }).start(); }", CONFIGURE);

    assertThat(contents.tasks()).containsExactly("shop::pack");
  }

  @Test
  void aWorkflowThatIsNotValidIsRefused() {
    assertRefused(
        TASKS.replace("flow.input()", "flow.output(\"pak\", TypeRef.of(String.class))"),
        CONFIGURE,
        "workflow shop::fulfil");
  }

  @Test
  void aWorkflowWithATaskThatThePackageLacksIsRefused() {
    assertRefused(TASKS, "binder.workflow(FULFIL);", "which no module on the class path handles");
  }

  @Test
  void aPackageThatEndsTheProcessIsRefused() {
    assertRefused(
        TASKS + "  static { System.exit(0); }", CONFIGURE, "ended the process with exit code 0");
    assertRefused(TASKS, "Runtime.getRuntime().halt(7);", "ended the process with exit code 7");
  }

  @Test
  void aPackageThatFillsTheHeapIsRefused() {
    assertRefused(
        TASKS
            + "  static final List<byte[]> ALL = new ArrayList<>();\n"
            + "  static { while (System.nanoTime() != 0) { ALL.add(new byte[1 << 20]); } }",
        CONFIGURE,
        "needs more memory than 32 MB");
  }

  @Test
  void aPackageThatNeverEndsIsRefused() {
    assertThatThrownBy(() ->
            load(
                TASKS + "  static { while (System.nanoTime() != 0) {} }",
                CONFIGURE,
                Duration.ofSeconds(3)))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("did not end within 3 s");
  }

  @Test
  void aModuleThatFailsIsRefused() {
    assertRefused(TASKS, "throw new IllegalStateException(\"no price list\");", "no price list");
    assertRefused(
        TASKS,
        "dev.holdfast.engine.codec.JsonCodec unused = new dev.holdfast.engine.codec.JsonCodec();",
        "dev.holdfast.engine.codec.JsonCodec is not on the class path");
  }

  @Test
  void thereIsNoEnvironmentAndNoServerOnTheClassPath() throws Exception {
    PackageContents contents =
        load(
            TASKS,
            CONFIGURE
                + """
                  for (String name : System.getenv().keySet()) {
                    binder.handle(TaskType.of("env::" + name.toLowerCase().replace('=', '-'), String.class), (text, context) -> {});
                  }
                  for (String path : System.getProperty("java.class.path").split(":")) {
                    if (path.contains("postgres")) throw new IllegalStateException(path);
                  }
                """);

    assertThat(contents.tasks()).isSubsetOf("shop::pack", "env::path");
  }

  @Test
  void filesOfTheServerCannotBeRead() throws Exception {
    Assumptions.assumeTrue(Sandbox.ofSystem().otherUser(), "not root");
    Path secret = Files.writeString(folder.resolve("secret"), "password");
    assertThat(secret.toFile().setReadable(false, false)).isTrue();
    assertThat(secret.toFile().setReadable(true, true)).isTrue();

    assertRefused(
        TASKS,
        """
        try {
          throw new IllegalStateException(java.nio.file.Files.readString(java.nio.file.Path.of("%s")));
        } catch (java.io.IOException denied) {
          throw new IllegalStateException("denied", denied);
        }
        """
            .formatted(secret),
        "AccessDeniedException");
  }

  @Test
  void otherUsersCanReadNothingOfAPackageThatIsLoaded() throws Exception {
    Assumptions.assumeTrue(Sandbox.ofSystem().otherUser(), "not root");
    String permissions =
        """
        var jar = java.nio.file.Path.of(System.getProperty("java.class.path").split(":")[0])
            .getParent().resolveSibling("package.jar");
        try {
          throw new IllegalStateException(
              java.nio.file.Files.readAttributes(jar, "posix:permissions").toString()
                  + java.nio.file.Files.readAttributes(jar.getParent(), "posix:permissions")
                  + java.nio.file.Files.getAttribute(
                      java.nio.file.Path.of("/proc/self"), "unix:uid"));
        } catch (java.io.IOException failure) {
          throw new IllegalStateException(failure);
        }
        """;

    assertThatThrownBy(() -> load(TASKS, permissions))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("GROUP_READ")
        .hasMessageContaining("GROUP_EXECUTE")
        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("OTHERS_"));
  }

  @Test
  void packagesThatAreLoadedTogetherHaveDifferentUsers() {
    Assumptions.assumeTrue(Sandbox.ofSystem().otherUser(), "not root");
    Assumptions.assumeTrue(Sandbox.userOf(1) != Sandbox.userOf(2), "no users for tenants");

    assertThat(Sandbox.userOfDryLoad()).isNotEqualTo(Sandbox.userOfDryLoad());
  }

  @Test
  void aPackageWithATooLongDescriptionIsRefused() throws Exception {
    String many =
        """
        for (int i = 0; i < 40_000; i++) {
          binder.handle(
              TaskType.of("shop::" + "x".repeat(110) + i, String.class), (text, context) -> {});
        }
        """;
    Path jar = Path.of(new UserJar(folder.resolve("shop")).module("Shop", TASKS, many).jar());

    assertThatThrownBy(
            () -> new DryLoad(new DryLoad.Settings(Duration.ofSeconds(60), 256)).load(jar))
        .isInstanceOf(InvalidPackageException.class)
        .hasMessageContaining("has more than 4 MB");
  }

  @Test
  void processesThatAPackageStartsEndWithIt() throws Exception {
    Assumptions.assumeTrue(Sandbox.ofSystem().namespaces(), "no namespaces");
    String mark = "holdfast-left-behind-" + System.nanoTime();
    PackageContents contents =
        load(
            TASKS
                + """
                  static {
                    try {
                      new ProcessBuilder("setsid", "sh", "-c", "sleep 600; : %s").start();
                    } catch (java.io.IOException failure) {
                      throw new IllegalStateException(failure);
                    }
                  }
                """
                    .formatted(mark),
            CONFIGURE);

    assertThat(contents.tasks()).containsExactly("shop::pack");
    assertThat(ProcessHandle.allProcesses().map(DryLoadTest::commandLine))
        .noneMatch(line -> line.contains(mark));
  }

  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
    } catch (IOException gone) {
      return "";
    }
  }

  @Test
  void nothingIsLeftInTheTemporaryFolder() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    String jar = new UserJar(folder.resolve("shop")).module("Shop", TASKS, CONFIGURE).jar();

    PackageContents contents =
        new DryLoad(DryLoad.Settings.DEFAULT, new Sandbox(false, false, false), temporary)
            .load(Path.of(jar));

    assertThat(contents.tasks()).containsExactly("shop::pack");
    assertThat(temporary).isEmptyDirectory();
  }
}
