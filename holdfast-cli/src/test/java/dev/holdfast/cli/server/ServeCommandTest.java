package dev.holdfast.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process of its own. */
class ServeCommandTest {
  @TempDir private Path folder;

  private Process start() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "dev.holdfast.cli.Main",
            "serve",
            "--port=0",
            "--data-dir=" + folder)
        .redirectErrorStream(true)
        .start();
  }

  private static List<String> untilReady(BufferedReader out) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      lines.add(line);
      if (line.startsWith("Press Ctrl-C")) {
        return lines;
      }
    }
    throw new AssertionError("The server ended early: " + lines);
  }

  private static String word(List<String> lines, String start) {
    return lines.stream()
        .flatMap(line -> List.of(line.split("\\s+")).stream())
        .filter(word -> word.startsWith(start))
        .findFirst()
        .orElse("");
  }

  private static int get(String url, String key) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + key).build();
    return HttpClient.newHttpClient()
        .send(request, HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void aServerPrintsItsKeysOnceStopsOnSigtermAndKeepsItsDataEvenAfterKill()
      throws IOException, InterruptedException {
    Process first = start();
    String key;
    try (BufferedReader out = first.inputReader()) {
      List<String> lines = untilReady(out);
      key = word(lines, "holdfast_live_default_");
      assertThat(key).isNotEmpty();
      assertThat(word(lines, "holdfast_live_admin_")).isNotEmpty();
      assertThat(get(word(lines, "http://") + "/v1/me", key)).isEqualTo(200);
      first.toHandle().destroy(); // Unlike the process, the handle leaves its output open.
      assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(out.lines().toList()).contains("Stopped.");
      assertThat(first.exitValue()).isZero();
    }
    Process second = start();
    try (BufferedReader out = second.inputReader()) {
      List<String> lines = untilReady(out);
      assertThat(word(lines, "holdfast_live_")).isEmpty();
      assertThat(get(word(lines, "http://") + "/v1/tenants/default/jobs", key)).isEqualTo(200);
      second.destroyForcibly().waitFor();
    }
    Process third = start();
    try (BufferedReader out = third.inputReader()) {
      List<String> lines = untilReady(out);
      assertThat(get(word(lines, "http://") + "/v1/tenants/default/jobs", key)).isEqualTo(200);
      third.toHandle().destroy();
      assertThat(third.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theConfigurationIsPrintedWithItsSources() {
    Cli printed = Cli.run("config", "--port=81", "--set", "drain=PT1M");
    assertThat(printed.exit()).isZero();
    assertThat(printed.out()).containsPattern("port +81 +--port").containsPattern("drain +PT1M");
    Cli wrong = Cli.run("config", "--set", "prot=81");
    assertThat(wrong.exit()).isEqualTo(1);
    assertThat(wrong.err()).contains("did you mean 'port'?");
  }
}
