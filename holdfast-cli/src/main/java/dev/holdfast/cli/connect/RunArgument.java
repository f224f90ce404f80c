package dev.holdfast.cli.connect;

import picocli.CommandLine.Parameters;

/** The argument of commands about one run. */
public final class RunArgument {

  @Parameters(
      index = "0",
      paramLabel = "ID",
      converter = IdConverter.OfRun.class,
      description = "The id of the run.")
  @SuppressWarnings("NullAway.Init")
  private String id;

  /** Returns the id of the run. */
  public String id() {
    return id;
  }
}
