package dev.holdfast.bench.harness;

import dev.holdfast.cli.database.Address;
import dev.holdfast.cli.database.ServerOptions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every benchmark. */
public final class BenchOptions {
  static final int USUAL_ROUNDS = 5;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "The number of measured rounds. Defaults to 5, or more for some benchmarks, or to 1 with"
              + " --quick.")
  private @Nullable Integer rounds;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "The number of jobs in a round. The default depends on the benchmark.")
  private @Nullable Integer jobs;

  @Option(names = "--json", description = "Print an array of {name, value, unit, bar, ok}.")
  private boolean json;

  @Option(
      names = "--check",
      description =
          "Exit with 1 and print each measure that misses its bar or could not be taken. Cannot be"
              + " combined with --quick or fewer than 5 rounds, which are too few to judge ratios.")
  private boolean check;

  @Option(
      names = "--quick",
      description = "Run a small version that only checks that the benchmark works.")
  private boolean quick;

  Optional<Address> named() {
    return server.named();
  }

  int rounds(int usual) {
    return rounds(usual, 1);
  }

  int rounds(int usual, int quickly) {
    return rounds != null ? rounds : quick ? quickly : usual;
  }

  int jobs(int usual, int quickly) {
    return jobs != null ? jobs : quick ? quickly : usual;
  }

  boolean json() {
    return json;
  }

  boolean check() {
    return check;
  }

  boolean quick() {
    return quick;
  }

  /**
   * Returns the error message for invalid options, if they are invalid.
   *
   * @param takesTurns whether {@code --check} needs enough rounds, and large ones
   */
  Optional<String> complaint(boolean takesTurns) {
    if (rounds != null && rounds < 1) {
      return Optional.of("%d rounds are not valid: use at least 1.".formatted(rounds));
    }
    if (jobs != null && jobs < 1) {
      return Optional.of("%d jobs are not valid: use at least 1.".formatted(jobs));
    }
    if (check && takesTurns && quick) {
      return Optional.of("--quick measures too little for --check: remove one of them.");
    }
    if (check && takesTurns && rounds != null && rounds < USUAL_ROUNDS) {
      return Optional.of(
          "%d rounds are too few for --check: use at least %d, or remove --check."
              .formatted(rounds, USUAL_ROUNDS));
    }
    return Optional.empty();
  }
}
