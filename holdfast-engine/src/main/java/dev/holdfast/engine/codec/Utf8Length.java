package dev.holdfast.engine.codec;

/** How large a text is where it is stored: in bytes of UTF-8. */
public final class Utf8Length {
  /** No character of Java's needs more; a pair of surrogates needs four for two. */
  private static final int MOST_PER_CHARACTER = 3;

  private Utf8Length() {}

  /** Whether a text has more bytes than this. Most are so short that nobody need count. */
  public static boolean exceeds(String text, int limit) {
    long length = text.length();
    return length * MOST_PER_CHARACTER > limit && (length > limit || bytes(text) > limit);
  }

  /** How many bytes a text has, counted without making them. */
  public static long bytes(String text) {
    long bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      bytes += character < 0x80 ? 1 : character < 0x800 || Character.isSurrogate(character) ? 2 : 3;
    }
    return bytes;
  }
}
