package dev.holdfast.cli.connect;

import picocli.CommandLine.Parameters;

/** The argument of commands about one job. */
public final class JobArgument {

  @Parameters(
      index = "0",
      paramLabel = "ID",
      converter = IdConverter.OfJob.class,
      description = "The id of the job.")
  @SuppressWarnings("NullAway.Init")
  private String id;

  /** Returns the id of the job. */
  public String id() {
    return id;
  }
}
