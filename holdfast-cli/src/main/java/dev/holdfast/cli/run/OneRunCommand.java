package dev.holdfast.cli.run;

import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.cli.ops.ClientCommand;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** The base of the commands about one run, given by its id. */
abstract class OneRunCommand extends ClientCommand {

  @Parameters(
      index = "0",
      paramLabel = "ID",
      converter = RunIdConverter.class,
      description = "The id of the run.")
  @SuppressWarnings("NullAway.Init")
  private RunId id;

  final RunId id() {
    return id;
  }

  /**
   * Returns the run.
   *
   * @throws UnknownRunException if it does not exist
   */
  final Run find(Session session) {
    return session.client().runs().find(id).orElseThrow(() -> new UnknownRunException(id));
  }

  /** Reads the id of a run; the error for an invalid id shows a valid one. */
  static final class RunIdConverter implements ITypeConverter<RunId> {
    @Override
    public RunId convert(String text) {
      try {
        return RunId.parse(text);
      } catch (IllegalArgumentException wrong) {
        throw new TypeConversionException(String.valueOf(wrong.getMessage()));
      }
    }
  }
}
