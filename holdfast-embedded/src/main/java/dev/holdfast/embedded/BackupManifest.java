package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What a backup contains, as a text file in it. It is written last and names every file with its
 * size and checksum, so that a restore notices a backup that is not complete or was damaged.
 *
 * @param major the major version of the PostgreSQL that can open it
 */
record BackupManifest(String major, Instant taken, List<Entry> files) {

  static final String FILE = "manifest";
  private static final String FIRST_LINE = "holdfast backup 1";

  /** A file, with its path in the backup. */
  record Entry(String path, long size, long checksum) {}

  BackupManifest {
    files = List.copyOf(files);
  }

  long bytes() {
    return files.stream().mapToLong(Entry::size).sum();
  }

  void write(Path backup) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(FIRST_LINE).append("\npostgres ").append(major);
    text.append("\ntaken ").append(taken).append('\n');
    for (Entry file : files) {
      text.append("file %d %08x %s\n".formatted(file.size, file.checksum, file.path));
    }
    text.append("files ").append(files.size()).append('\n');
    Files.writeString(backup.resolve(FILE), text, UTF_8);
    FileTrees.flush(backup.resolve(FILE));
  }

  /** Reads the manifest of a backup. */
  static BackupManifest read(Path backup) {
    try {
      List<String> lines = Files.readAllLines(backup.resolve(FILE), UTF_8);
      if (lines.isEmpty() || !lines.getFirst().equals(FIRST_LINE)) {
        throw new EmbeddedPostgresException(
            "%s is not a backup that this version can read: its manifest does not start with '%s'."
                .formatted(backup, FIRST_LINE));
      }
      List<Entry> files = new ArrayList<>();
      for (String line : lines.subList(3, lines.size() - 1)) {
        String[] words = line.split(" ", 4);
        files.add(new Entry(words[3], Long.parseLong(words[1]), Long.parseLong(words[2], 16)));
      }
      if (!lines.getLast().equals("files " + files.size())) {
        throw damaged(backup, "its manifest is not complete");
      }
      return new BackupManifest(
          lines.get(1).replaceFirst("^postgres ", ""),
          Instant.parse(lines.get(2).replaceFirst("^taken ", "")),
          files);
    } catch (NoSuchFileException e) {
      throw new EmbeddedPostgresException(
          "%s is not a backup, because it has no file '%s': name a folder that 'holdfast backup' has written."
              .formatted(backup, FILE),
          e);
    } catch (IOException
        | IndexOutOfBoundsException
        | IllegalArgumentException
        | DateTimeParseException e) {
      throw new EmbeddedPostgresException(
          "The manifest of the backup %s cannot be read (%s): use another backup."
              .formatted(backup, e),
          e);
    }
  }

  /** Checks that every file of the backup is there and has its size and checksum. */
  void check(Path backup) {
    for (Entry file : files) {
      Path path = backup.resolve(file.path).normalize();
      if (!path.startsWith(backup) || !Files.isRegularFile(path)) {
        throw damaged(backup, "file %s is missing".formatted(file.path));
      }
      try {
        if (Files.size(path) != file.size || checksum(path) != file.checksum) {
          throw damaged(backup, "file %s was changed".formatted(file.path));
        }
      } catch (IOException e) {
        throw damaged(backup, "file %s cannot be read (%s)".formatted(file.path, e));
      }
    }
  }

  private static long checksum(Path file) throws IOException {
    CRC32C checksum = new CRC32C();
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        checksum.update(buffer, 0, read);
      }
    }
    return checksum.getValue();
  }

  private static EmbeddedPostgresException damaged(Path backup, String why) {
    return new EmbeddedPostgresException(
        "The backup %s is damaged: %s. Nothing was restored; use another backup."
            .formatted(backup, why));
  }
}
