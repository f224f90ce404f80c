package dev.holdfast.bench.harness;

import dev.holdfast.cli.database.Address;
import dev.holdfast.cli.database.ServerOptions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every bench. */
public final class BenchOptions {
  static final int USUAL_ROUNDS = 5;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "How often each side is measured. Defaults to 5 or more, as the bench needs, or to 1 with"
              + " --quick.")
  private @Nullable Integer rounds;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "How many jobs a round has. Defaults to what the bench says.")
  private @Nullable Integer jobs;

  @Option(names = "--json", description = "Print an array of {name, value, unit, bar, ok}.")
  private boolean json;

  @Option(
      names = "--check",
      description =
          "Exit with 1 and name each bar that is missed, or that could not be measured. Not with"
              + " --quick or less than 5 rounds, by which ratios cannot be judged.")
  private boolean check;

  @Option(names = "--quick", description = "Small and soon over, to see that it works at all.")
  private boolean quick;

  Optional<Address> named() {
    return server.named();
  }

  int rounds(int usual) {
    return rounds != null ? rounds : quick ? 1 : usual;
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
   * What is wrong with them, if anything is.
   *
   * @param takesTurns whether a verdict depends on the number of rounds and their size
   */
  Optional<String> complaint(boolean takesTurns) {
    if (rounds != null && rounds < 1) {
      return Optional.of("%d rounds are not valid: give at least 1.".formatted(rounds));
    }
    if (jobs != null && jobs < 1) {
      return Optional.of("%d jobs are not valid: give at least 1.".formatted(jobs));
    }
    if (check && takesTurns && quick) {
      return Optional.of(
          "--quick measures too little to judge by: leave it out, or leave out --check.");
    }
    if (check && takesTurns && rounds != null && rounds < USUAL_ROUNDS) {
      return Optional.of(
          "%d rounds are too few to judge by: give at least %d, or leave out --check."
              .formatted(rounds, USUAL_ROUNDS));
    }
    return Optional.empty();
  }
}
