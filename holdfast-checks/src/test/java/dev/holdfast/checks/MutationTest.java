package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Puts each known bug into the code, alone, and expects its tests to fail. Not part of the ordinary
 * build: {@code mvn -B -Pmutation verify}, or {@code -Dmutations=word} for those whose description
 * contains a word.
 *
 * <p>A mutated class is compiled into a separate folder, which is first on the class path of a new
 * JVM that runs the tests.
 */
@Tag("mutation")
class MutationTest {
  private static final String CHOSEN = System.getProperty("mutations", "");
  private static final int MOST_MINUTES = 10;

  @TempDir Path folder;

  @TestFactory
  Stream<DynamicTest> everyMutationIsNoticed() {
    return Mutation.all().stream()
        .filter(mutation -> mutation.toString().contains(CHOSEN))
        .map(mutation -> DynamicTest.dynamicTest(mutation.toString(), () -> check(mutation)));
  }

  private void check(Mutation mutation) throws IOException, InterruptedException {
    Path classes = Files.createTempDirectory(folder, "classes");
    compile(mutation, classes);
    Path log = folder.resolve(classes.getFileName() + ".log");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-cp",
                classes + File.pathSeparator + classPath(),
                SelectedTests.class.getName()));
    command.addAll(mutation.tests());
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly().waitFor(); // A test that never ends does not pass.
      return;
    }
    assertThat(process.exitValue())
        .as(() -> "%s: its tests passed, or did not run:%n%s".formatted(mutation, endOf(log)))
        .isEqualTo(SelectedTests.SOME_FAILED);
  }

  private static void compile(Mutation mutation, Path classes) throws IOException {
    Path source = classes.resolve("source").resolve(mutation.source().getFileName());
    Files.createDirectories(source.getParent());
    Files.writeString(source, mutation.mutated());
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  null,
                  files,
                  null,
                  List.of(
                      "-d",
                      classes.toString(),
                      "-cp",
                      classPath(),
                      "-proc:none",
                      "-Xlint:none",
                      "-parameters"),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      assertThat(compiled).as("the mutated source compiles").isTrue();
    }
  }

  /** Returns what the tests of all modules need: this module depends on all others. */
  private static String classPath() throws IOException {
    List<String> entries = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Checkout.root())) {
      modules
          .filter(module -> module.getFileName().toString().startsWith("holdfast-"))
          .sorted()
          .flatMap(
              module -> Stream.of("classes", "test-classes").map(module.resolve("target")::resolve))
          .filter(Files::isDirectory)
          .forEach(classes -> entries.add(classes.toString()));
    }
    entries.add(System.getProperty("java.class.path"));
    return String.join(File.pathSeparator, entries);
  }

  private static String endOf(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    } catch (IOException failure) {
      return failure.toString();
    }
  }
}
