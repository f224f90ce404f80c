package dev.holdfast.cli.print;

/** Makes texts from outside safe to print: they could contain codes that control a terminal. */
public final class Printable {

  private Printable() {}

  /** Returns a text in one line, without control characters. */
  public static String line(String text) {
    return text.codePoints()
        .map(letter -> isControl(letter) ? ' ' : letter)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isControl(int letter) {
    return switch (Character.getType(letter)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.FORMAT ->
          true;
      default -> false;
    };
  }

  /** Returns a text in one line of at most the given number of characters. */
  public static String shortened(String text, int most) {
    String line = line(text);
    return line.length() <= most ? line : line.substring(0, most - 1).stripTrailing() + "…";
  }
}
