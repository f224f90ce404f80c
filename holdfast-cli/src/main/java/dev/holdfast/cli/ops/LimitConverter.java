package dev.holdfast.cli.ops;

import java.util.OptionalInt;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of jobs; "none" means no limit. */
final class LimitConverter implements ITypeConverter<OptionalInt> {

  @Override
  public OptionalInt convert(String text) {
    if (text.equals("none")) {
      return OptionalInt.empty();
    }
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw new TypeConversionException(
          "'%s' is not a limit: use a number of at least 1, or 'none'.".formatted(text));
    }
    return OptionalInt.of(Integer.parseInt(text));
  }
}
