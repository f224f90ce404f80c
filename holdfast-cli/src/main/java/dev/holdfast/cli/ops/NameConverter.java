package dev.holdfast.cli.ops;

import dev.holdfast.api.internal.Names;
import java.util.function.UnaryOperator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads names; the error for an invalid one lists the allowed characters. */
abstract class NameConverter implements ITypeConverter<String> {
  private final UnaryOperator<String> check;

  private NameConverter(UnaryOperator<String> check) {
    this.check = check;
  }

  @Override
  public final String convert(String text) {
    try {
      return check.apply(text);
    } catch (IllegalArgumentException wrong) {
      throw new TypeConversionException(String.valueOf(wrong.getMessage()));
    }
  }

  /** Reads the name of a queue. */
  static final class OfQueue extends NameConverter {
    OfQueue() {
      super(Names::queue);
    }
  }

  /** Reads the name of a task. */
  static final class OfTask extends NameConverter {
    OfTask() {
      super(Names::task);
    }
  }
}
