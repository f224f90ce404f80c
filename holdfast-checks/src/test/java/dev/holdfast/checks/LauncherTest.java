package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the build contains everything that {@code ./holdfast} needs, for any user. */
class LauncherTest {
  private static final List<String> MODULES =
      List.of(
          "api", "engine", "postgres", "embedded", "worker", "package", "server", "cli", "bench");

  @TempDir private Path temp;

  /** Only after {@code mvn package}, as in {@code mvn verify}. */
  @Test
  void theBuildCopiesEveryLibrary() throws Exception {
    Path built = Checkout.root().resolve("holdfast-bench/target");
    assumeThat(built.resolve("launcher.classpath")).exists();

    List<String> entries =
        List.of(Files.readString(built.resolve("launcher.classpath")).strip().split(":", -1));

    assertThat(entries).hasSizeGreaterThan(10).allMatch(entry -> entry.matches("lib/[^/]+\\.jar"));
    assertThat(entries).allMatch(entry -> Files.isRegularFile(built.resolve(entry)));
    assertThat(entries).anyMatch(entry -> entry.startsWith("lib/postgresql-"));
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void theClassPathStaysInTheCheckout() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar:lib/two-2.0.jar");

    List<String> words = launch(checkout);

    List<String> entries = List.of(words.get(words.indexOf("-cp") + 1).split(":", -1));
    assertThat(entries)
        .allMatch(entry -> Path.of(entry).startsWith(checkout) && Files.exists(Path.of(entry)))
        .hasSize(MODULES.size() + 2)
        .contains(checkout.resolve("holdfast-bench/target/lib/two-2.0.jar").toString());
    assertThat(words).endsWith("dev.holdfast.cli.Main", "queues");
  }

  /** A deleted jar of the build is detected at the start. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aMissingLibraryIsBuiltAgain() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar:lib/two-2.0.jar");
    Files.delete(checkout.resolve("holdfast-bench/target/lib/one-1.0.jar"));

    assertThat(launch(checkout)).anyMatch(line -> line.startsWith("Building Holdfast"));
  }

  /** The guides are in the jar, but other commands do not need them. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void changedGuidesAreBuiltAgainOnlyToShowThem() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar");
    Files.setLastModifiedTime(
        touch(checkout.resolve("docs/cli.md")),
        FileTime.from(Instant.now().plus(Duration.ofHours(1))));

    assertThat(launch(checkout)).noneMatch(line -> line.startsWith("Building Holdfast"));
    assertThat(launch(checkout, Map.of(), "docs"))
        .anyMatch(line -> line.startsWith("Building Holdfast"));
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void whatTheJvmRecordsOnceIsUsedByLaterStarts() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar");
    String cache = checkout.resolve("holdfast-bench/target/launcher-25.cache").toString();

    List<String> first = launch(checkout);
    assertThat(first).anyMatch(line -> line.startsWith("Preparing faster starts"));
    assertThat(first).contains("-XX:AOTCache=" + cache);
    assertThat(Path.of(cache)).hasContent("recorded dev.holdfast.cli.Training");
    assertThat(launch(checkout))
        .contains("-XX:AOTCache=" + cache)
        .noneMatch(line -> line.startsWith("Preparing"));
    assertThat(checkout.resolve("holdfast-bench/target/launcher.training")).doesNotExist();
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void anOlderJdkRecordsAnArchiveOfClasses() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar");
    Files.writeString(temp.toRealPath().resolve("jdk/release"), "JAVA_VERSION=\"21.0.5\"\n");

    assertThat(launch(checkout))
        .contains(
            "-XX:SharedArchiveFile="
                + checkout.resolve("holdfast-bench/target/launcher-21.0.5.cache"))
        .doesNotContain("-Xlog:cds=off,aot=off"); // It does not know the second.
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aStartWorksAlthoughNothingCouldBeRecorded() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar");
    Files.writeString(temp.toRealPath().resolve("jdk/bin/java"), FAILS_TO_RECORD);

    assertThat(launch(checkout))
        .noneMatch(word -> word.startsWith("-XX:AOTCache"))
        .endsWith("dev.holdfast.cli.Main", "queues");
    assertThat(launch(checkout))
        .as("is not tried again")
        .noneMatch(line -> line.startsWith("Preparing"));
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void ownJarsComeLast() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar");

    List<String> words =
        launch(checkout, Map.of("HOLDFAST_CLASSPATH", "/srv/a.jar:/srv/b.jar"), "queues");

    assertThat(words.get(words.lastIndexOf("-cp") + 1))
        .endsWith("lib/one-1.0.jar:/srv/a.jar:/srv/b.jar");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void commandsThatEndSoonDoWithTheQuickCompiler() throws Exception {
    Path checkout = fakeCheckout("lib/one-1.0.jar");
    String quick = "-XX:TieredStopAtLevel=1";

    assertThat(launch(checkout)).contains(quick);
    assertThat(launch(checkout, Map.of(), "serve")).doesNotContain(quick);
    assertThat(launch(checkout, Map.of("HOLDFAST_JAVA_OPTS", "-XX:+UseZGC -Xmx1g"), "queues"))
        .contains("-XX:+UseZGC", "-Xmx1g")
        .as("two collectors would be an error")
        .doesNotContain(quick, "-XX:+UseSerialGC");
  }

  @Test
  void aModuleWithoutClassesIsNeitherInstalledNorDeployed() throws Exception {
    String pom = Files.readString(Checkout.root().resolve("holdfast-checks/pom.xml"));

    assertThat(Checkout.root().resolve("holdfast-checks/src/main")).doesNotExist();
    for (String plugin : List.of("maven-install-plugin", "maven-deploy-plugin")) {
      assertThat(pom)
          .containsPattern(
              "<artifactId>%s</artifactId>\\s*<configuration>\\s*<skip>true</skip>"
                  .formatted(plugin));
    }
  }

  /** Returns a fake built checkout with a JDK that prints its arguments. */
  private Path fakeCheckout(String classPath) throws IOException {
    Path checkout = Files.createDirectories(temp.toRealPath().resolve("a checkout"));
    copy("holdfast", checkout);
    copy(".mvn/find-jdk.sh", checkout);
    Files.createFile(checkout.resolve("pom.xml"));
    for (String module : MODULES) {
      Path folder = checkout.resolve("holdfast-" + module);
      Files.createDirectories(folder.resolve("src/main"));
      Files.createFile(folder.resolve("pom.xml"));
      touch(folder.resolve("target/holdfast-%s.jar".formatted(module)));
    }
    Path built = checkout.resolve("holdfast-bench/target");
    for (String entry : classPath.split(":", -1)) {
      touch(built.resolve(entry));
    }
    Files.writeString(built.resolve("launcher.classpath"), classPath);
    Files.setLastModifiedTime(
        touch(built.resolve("launcher.stamp")),
        FileTime.from(Instant.now().plus(Duration.ofMinutes(1))));
    Path jdk = temp.toRealPath().resolve("jdk");
    Files.createDirectories(jdk.resolve("bin"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
    for (String program : List.of("java", "javac", "mvn")) {
      Path script = Files.writeString(jdk.resolve("bin").resolve(program), SAY_WORDS);
      assertThat(script.toFile().setExecutable(true)).isTrue();
    }
    return checkout;
  }

  /** Prints its arguments, and writes the file that the JVM would record to. */
  private static final String SAY_WORDS =
      """
      #!/bin/sh
      for word in "$@"; do
        case $word in
          -XX:AOTCacheOutput=* | -XX:ArchiveClassesAtExit=*) echo "recorded $4" >"${word#*=}" ;;
        esac
        echo "$word"
      done
      """;

  private static final String FAILS_TO_RECORD =
      """
      #!/bin/sh
      case $1 in -XX:AOTCacheOutput=*) exit 1 ;; esac
      for word in "$@"; do echo "$word"; done
      """;

  private static void copy(String file, Path to) throws IOException {
    Path target = to.resolve(file);
    Files.createDirectories(target.getParent());
    Files.copy(Checkout.root().resolve(file), target, StandardCopyOption.COPY_ATTRIBUTES);
  }

  private static Path touch(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }

  /** Returns everything that the launcher and its JDK print, one word per line. */
  private List<String> launch(Path checkout) throws Exception {
    return launch(checkout, Map.of(), "queues");
  }

  private List<String> launch(Path checkout, Map<String, String> variables, String command)
      throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(checkout.resolve("holdfast").toString(), command)
            .directory(temp.toFile())
            .redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", temp.toRealPath().resolve("jdk").toString());
    builder.environment().put("HOME", temp.resolve("nobody").toString());
    builder
        .environment()
        .merge(
            "PATH", temp.toRealPath().resolve("jdk/bin").toString(), (old, own) -> own + ":" + old);
    builder.environment().remove("HOLDFAST_JAVA_OPTS");
    builder.environment().remove("HOLDFAST_CLASSPATH");
    builder.environment().putAll(variables);
    Process process = builder.start();
    List<String> lines = process.inputReader().lines().toList();
    process.waitFor();
    return lines;
  }
}
