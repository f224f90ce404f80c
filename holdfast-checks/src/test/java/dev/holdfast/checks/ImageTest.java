package dev.holdfast.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image of the Dockerfile, built and started. It takes a minute and a half and what few
 * machines have, so it is skipped elsewhere; {@link DeploymentTest} checks the files everywhere.
 */
@EnabledOnOs(OS.LINUX)
class ImageTest {
  private static final long MOST_TO_DOWNLOAD = 130;
  private static final long MOST_ON_DISK = 225;
  private static final Pattern SIZE = Pattern.compile("(\\d+) MB to download, (\\d+) MB on disk");

  @TempDir private Path folder;

  @BeforeEach
  void requireWhatBuildsAnImage() throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "only root can create the files of an image");
    for (String program : List.of("buildah", "mmdebstrap")) {
      assumeTrue(isInstalled(program), program + " is not installed on this machine");
    }
    assumeTrue(Runtime.version().feature() >= 25, "the image needs a JDK 25, and this is " + jdk());
    assumeTrue(
        Files.isDirectory(Checkout.root().resolve("holdfast-cli/target/distribution")),
        "the distribution is not built: run 'mvn verify -Pdistribution'");
  }

  /** The second script also starts the server again after all its processes were killed. */
  @Test
  void aServerInTheImageRunsAsAnotherUserThanRootAndKeepsItsDataWhenItIsKilled() throws Exception {
    String built = run("build-offline.sh", folder.toString());
    Matcher size = SIZE.matcher(built);
    assertThat(size.find()).as(built).isTrue();
    assertThat(Long.parseLong(size.group(1))).isLessThanOrEqualTo(MOST_TO_DOWNLOAD);
    assertThat(Long.parseLong(size.group(2))).isLessThanOrEqualTo(MOST_ON_DISK);

    assertThat(run("try-offline.sh", folder.toString()))
        .contains("runs as user 10001, healthy")
        .contains("kept it when it was killed");
  }

  private String run(String script, String argument) throws Exception {
    Path file = Checkout.root().resolve("deploy/image").resolve(script);
    Path output = folder.resolve(script + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(file.toString(), argument)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", jdk().toString());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as(script + " has ended").isTrue();
    } finally {
      process.destroy();
    }
    String text = Files.readString(output);
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }

  private static Path jdk() {
    return Path.of(System.getProperty("java.home"));
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
  }
}
