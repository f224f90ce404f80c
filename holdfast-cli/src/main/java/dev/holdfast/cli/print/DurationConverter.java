package dev.holdfast.cli.print;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations such as 90s, 5m, 2h, 1d or PT5M. */
public final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern SIMPLE = Pattern.compile("([0-9]{1,9})(s|m|h|d)");

  @Override
  public Duration convert(String text) {
    Matcher simple = SIMPLE.matcher(text);
    if (simple.matches()) {
      long count = Long.parseLong(simple.group(1));
      return switch (simple.group(2)) {
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        case "h" -> Duration.ofHours(count);
        default -> Duration.ofDays(count);
      };
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException wrong) {
      throw new TypeConversionException(
          "'%s' is not a duration: use a value such as 90s, 5m, 2h, 1d or PT5M.".formatted(text));
    }
  }
}
