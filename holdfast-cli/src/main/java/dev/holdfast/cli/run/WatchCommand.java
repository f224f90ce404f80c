package dev.holdfast.cli.run;

import dev.holdfast.cli.connect.RunArgument;
import dev.holdfast.cli.connect.Target;
import dev.holdfast.cli.connect.WatchOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Follows a run until it ends. */
@Command(
    name = "watch",
    description = {
      "Follow a run until it ends.",
      "Redraws its graph on a terminal; otherwise prints a line for each event."
    },
    footer = "The exit code is 0 if the run succeeded, and 7 if it failed or was cancelled.")
public final class WatchCommand implements Callable<Integer> {

  @Mixin private final Target target = new Target();
  @Mixin private final WatchOptions watch = new WatchOptions();

  @Mixin private final RunArgument run = new RunArgument();

  @Override
  public Integer call() {
    return target.run(session -> RunWatch.follow(session, run.id(), watch));
  }
}
