package dev.holdfast.bench.http;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Measures the time from the start of {@code holdfast serve} until it is ready. */
final class StartTimes {
  private static final int TO_STOP_SECONDS = 60;

  private final Bench bench;

  StartTimes(Bench bench) {
    this.bench = bench;
  }

  void measure() throws Exception {
    Path folder = Files.createTempDirectory("holdfast-bench-start");
    try {
      bench.say("http", "creating the embedded database of a server");
      double first = start(folder);
      List<Double> seconds = new ArrayList<>();
      for (int round = 1; round <= bench.roundCount(); round++) {
        bench.say("http", "start %d of %d".formatted(round, bench.roundCount()));
        seconds.add(start(folder));
      }
      bench.report().add(Measure.of("http.first_start", first, "s"));
      bench
          .report()
          .add(Measure.of("http.start", Quantiles.median(seconds), "s").should(Bar.atMost(4)));
    } finally {
      delete(folder);
    }
  }

  private static double start(Path folder) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Those of this process: the launcher gives the same to all commands.
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "serve",
            "--port=0",
            "--data-dir=" + folder.resolve("data")));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("XDG_CONFIG_HOME", folder.resolve("config").toString());
    builder.redirectErrorStream(true);
    long started = System.nanoTime();
    Process process = builder.start();
    try (BufferedReader out = process.inputReader()) {
      URI url = url(out);
      while (!ready(url)) {
        Thread.sleep(10);
      }
      return (System.nanoTime() - started) / 1e9;
    } finally {
      process.toHandle().destroy();
      if (!process.waitFor(TO_STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  /** Reads the output of the server until it prints its address. */
  private static URI url(BufferedReader out) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      lines.add(line);
      int at = line.indexOf("http://");
      if (at >= 0) {
        return URI.create(line.substring(at).split("\\s", 2)[0]);
      }
    }
    throw new BenchException("The server ended early: " + lines);
  }

  private static boolean ready(URI url) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(url + "/ready").toURL().openConnection();
      return connection.getResponseCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
