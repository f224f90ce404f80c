package dev.holdfast.engine.codec;

/** The size of a text as it is stored: in bytes of UTF-8. */
public final class Utf8Length {
  /** No Java {@code char} needs more; a surrogate pair needs four bytes for its two. */
  private static final int MOST_PER_CHARACTER = 3;

  private Utf8Length() {}

  /**
   * Returns whether a text has more bytes than the limit. Most texts are so short that their bytes
   * need not be counted.
   */
  public static boolean exceeds(String text, int limit) {
    long length = text.length();
    return length * MOST_PER_CHARACTER > limit && (length > limit || bytes(text) > limit);
  }

  /** Returns how many bytes a text has, counted without encoding it. */
  public static long bytes(String text) {
    long bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      bytes += character < 0x80 ? 1 : character < 0x800 || Character.isSurrogate(character) ? 2 : 3;
    }
    return bytes;
  }
}
