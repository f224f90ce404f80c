package dev.holdfast.packages.jar;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the list of entries at the end of a jar. {@link java.util.zip.ZipFile} reads the same list,
 * but does not report duplicates, symbolic links and encryption.
 *
 * <p>Only the plain form is accepted: no comment, nothing before the first entry, no ZIP64. In such
 * a file there is one place where the list can be, so all programs read the same one.
 */
final class JarEntries {
  private static final int END_SIGNATURE = 0x06054b50;
  private static final int ENTRY_SIGNATURE = 0x02014b50;
  private static final int ZIP64_LOCATOR = 0x07064b50;
  private static final int END_SIZE = 22;
  private static final int ENTRY_SIZE = 46;
  private static final int ZIP64_LOCATOR_SIZE = 20;

  /**
   * An entry.
   *
   * @param size the size of its content, as the list states it
   * @param type the bits of the Unix mode that say what kind of file it is; 0 if there are none
   */
  record Entry(String name, long compressed, long size, int method, boolean encrypted, int type) {}

  private JarEntries() {}

  /**
   * Reads the list.
   *
   * @throws InvalidPackageException if the file is not a jar in the plain form
   */
  static List<Entry> read(Path jar, int most) throws IOException {
    try (FileChannel file = FileChannel.open(jar, StandardOpenOption.READ)) {
      long length = file.size();
      if (length < END_SIZE) {
        throw notAJar();
      }
      ByteBuffer end = read(file, length - END_SIZE, END_SIZE);
      if (end.getInt(0) != END_SIGNATURE || end.getShort(20) != 0) {
        throw notAJar();
      }
      int count = end.getShort(10) & 0xFFFF;
      long size = end.getInt(12) & 0xFFFFFFFFL;
      long offset = end.getInt(16) & 0xFFFFFFFFL;
      boolean oneDisk =
          end.getShort(4) == 0 && end.getShort(6) == 0 && end.getShort(8) == end.getShort(10);
      if (!oneDisk || offset + size != length - END_SIZE || isZip64(file, length)) {
        throw notAJar();
      }
      if (count > most) {
        throw new InvalidPackageException(
            "The jar has %d entries, more than the limit of %d: remove libraries that it does not need."
                .formatted(count, most));
      }
      return entries(read(file, offset, Math.toIntExact(size)), count);
    }
  }

  private static boolean isZip64(FileChannel file, long length) throws IOException {
    long at = length - END_SIZE - ZIP64_LOCATOR_SIZE;
    return at >= 0 && read(file, at, Integer.BYTES).getInt(0) == ZIP64_LOCATOR;
  }

  private static InvalidPackageException notAJar() {
    return new InvalidPackageException(
        "The file is not a jar in plain form (no comment, nothing before its first entry, no"
            + " ZIP64): build it with 'holdfast package build'.");
  }

  private static ByteBuffer read(FileChannel file, long at, int size) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (file.read(buffer, at + buffer.position()) < 0) {
        throw new EOFException("The file has become shorter");
      }
    }
    return buffer.flip();
  }

  private static List<Entry> entries(ByteBuffer list, int count) {
    List<Entry> entries = new ArrayList<>();
    while (list.hasRemaining()) {
      int start = list.position();
      if (list.remaining() < ENTRY_SIZE || list.getInt(start) != ENTRY_SIGNATURE) {
        throw notAJar();
      }
      int nameLength = list.getShort(start + 28) & 0xFFFF;
      int rest =
          nameLength + (list.getShort(start + 30) & 0xFFFF) + (list.getShort(start + 32) & 0xFFFF);
      if (list.remaining() < ENTRY_SIZE + rest) {
        throw notAJar();
      }
      entries.add(
          new Entry(
              name(list.slice(start + ENTRY_SIZE, nameLength)),
              list.getInt(start + 20) & 0xFFFFFFFFL,
              list.getInt(start + 24) & 0xFFFFFFFFL,
              list.getShort(start + 10) & 0xFFFF,
              (list.getShort(start + 8) & 1) != 0,
              (list.getInt(start + 38) >>> 16) & 0xF000));
      list.position(start + ENTRY_SIZE + rest);
    }
    if (entries.size() != count) {
      throw notAJar();
    }
    return entries;
  }

  private static String name(ByteBuffer bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException notText) {
      throw new InvalidPackageException(
          "The name of an entry is not UTF-8: build the jar with 'holdfast package build'.");
    }
  }
}
