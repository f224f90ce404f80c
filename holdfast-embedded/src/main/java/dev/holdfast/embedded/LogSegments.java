package dev.holdfast.embedded;

import java.util.ArrayList;
import java.util.List;

/**
 * The names of the files of the write-ahead log: eight hexadecimal digits each for the timeline,
 * and for the high and the low part of the number of the file.
 *
 * @param size the size of a file in bytes
 */
record LogSegments(long size) {

  /** Returns the names from the first to the last, both included. */
  List<String> between(String first, String last) {
    String timeline = first.substring(0, 8);
    if (!last.startsWith(timeline)) {
      throw new EmbeddedPostgresException(
          "The timeline of the server changed from %s to %s during the backup: take it again."
              .formatted(first, last));
    }
    List<String> names = new ArrayList<>();
    for (long number = number(first); number <= number(last); number++) {
      names.add("%s%08X%08X".formatted(timeline, number / perPart(), number % perPart()));
    }
    return names;
  }

  private long number(String name) {
    return Long.parseLong(name.substring(8, 16), 16) * perPart()
        + Long.parseLong(name.substring(16), 16);
  }

  private long perPart() {
    return (1L << 32) / size;
  }
}
