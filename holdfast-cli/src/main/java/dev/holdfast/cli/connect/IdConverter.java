package dev.holdfast.cli.connect;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads ids; the error for an invalid one shows a valid one. */
public abstract class IdConverter implements ITypeConverter<String> {
  private final Function<String, Object> parse;

  private IdConverter(Function<String, Object> parse) {
    this.parse = parse;
  }

  @Override
  public final String convert(String text) {
    try {
      return parse.apply(text).toString();
    } catch (IllegalArgumentException wrong) {
      throw new TypeConversionException(String.valueOf(wrong.getMessage()));
    }
  }

  /** Reads the id of a job. */
  public static final class OfJob extends IdConverter {
    public OfJob() {
      super(JobId::parse);
    }
  }

  /** Reads the id of a run. */
  public static final class OfRun extends IdConverter {
    public OfRun() {
      super(RunId::parse);
    }
  }
}
