package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.embedded.Postmaster.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A backup of a server's data folder, as a folder.
 *
 * <p>If the server is running, it keeps running: the files are copied between PostgreSQL's {@code
 * pg_backup_start} and {@code pg_backup_stop}, together with the write-ahead log of that time. What
 * was committed before the backup started is in it; what is committed during the backup may be.
 * Otherwise no server can start until the files are copied.
 *
 * @param folder where it is; readable by its owner only, since it contains the password
 * @param online whether the server was running
 */
public record EmbeddedBackup(Path folder, Instant taken, int files, long bytes, boolean online) {

  private static final Duration READY_LIMIT = Duration.ofMinutes(2);

  /**
   * Takes a backup.
   *
   * @param dataFolder the data folder of the server
   * @param folder the folder to create. It exists only if the backup is complete
   * @throws EmbeddedPostgresException if there is no data, the folder exists, or the files cannot
   *     be copied
   */
  public static EmbeddedBackup take(Path dataFolder, Path folder) {
    if (!Files.isDirectory(dataFolder.resolve("pgdata"))) {
      throw new EmbeddedPostgresException(
          "There is no embedded database in %s: name the data folder of a server."
              .formatted(dataFolder));
    }
    Path target = folder.toAbsolutePath().normalize();
    if (Files.exists(target)) {
      throw new EmbeddedPostgresException(
          "%s exists, and a backup does not overwrite anything: choose another folder."
              .formatted(folder));
    }
    DataFolder source = DataFolder.open(dataFolder);
    try {
      Path parent = target.resolveSibling("");
      Files.createDirectories(parent);
      // Accessible by its owner only. If this program is killed, it stays and has no manifest.
      Path draft = Files.createTempDirectory(parent, target.getFileName() + ".partial-");
      try {
        boolean online = copy(source, draft);
        Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
        FileTrees.flush(parent);
        BackupManifest manifest = BackupManifest.read(target);
        return new EmbeddedBackup(
            target, manifest.taken(), manifest.files().size(), manifest.bytes(), online);
      } finally {
        FileTrees.delete(draft);
      }
    } catch (IOException e) {
      throw new EmbeddedPostgresException(
          "Could not back up %s to %s (%s): is the disk full, or the folder read-only? There is no backup."
              .formatted(dataFolder, folder, e),
          e);
    } catch (SQLException e) {
      throw new EmbeddedPostgresException(
          "The PostgreSQL server in %s did not carry out the backup (%s): take it again, and check the log in %s. There is no backup."
              .formatted(dataFolder, e.getMessage(), source.logs()),
          e);
    }
  }

  /** Returns whether the server was running. */
  private static boolean copy(DataFolder source, Path draft) throws IOException, SQLException {
    Instant started = Instant.now();
    ClusterCopy copy = new ClusterCopy(draft);
    boolean online;
    try (FileMutex turn = FileMutex.await(source.startLock())) {
      online = Postmaster.of(source.pgdata()) instanceof Running;
      if (!online) {
        copy.cluster(source.pgdata(), true);
      }
    }
    if (online) {
      copyOnline(source, copy, draft);
    }
    copy.file(source.passwordFile(), "password");
    new BackupManifest(source.majorVersion(), started, copy.copied()).write(draft);
    return online;
  }

  private static void copyOnline(DataFolder source, ClusterCopy copy, Path draft)
      throws IOException, SQLException {
    Login login = new Login(Login.SUPERUSER, source.password());
    Optional<Running> server = new ReadinessCheck(source, login, READY_LIMIT).await();
    if (server.isEmpty()) {
      throw new SQLException("the server has stopped");
    }
    try (Connection connection = login.connect(server.get().port(), Login.MAINTENANCE);
        Statement statement = connection.createStatement()) {
      // Keeps the log until this session ends, however it ends.
      statement.execute(
          "select pg_create_physical_replication_slot('holdfast_backup_%s', true, true)"
              .formatted(UUID.randomUUID().toString().replace("-", "")));
      // With an immediate checkpoint: by default it would take half of checkpoint_timeout.
      String first = row(statement, "select pg_walfile_name(pg_backup_start('holdfast', true))")[0];
      copy.cluster(source.pgdata(), false);
      String[] stop =
          row(
              statement,
              """
              select labelfile, pg_walfile_name(lsn), pg_size_bytes(current_setting('wal_segment_size'))
              from pg_backup_stop(false)
              """);
      copy.write(draft.resolve("pgdata/backup_label"), stop[0].getBytes(UTF_8));
      LogSegments log = new LogSegments(Long.parseLong(stop[2]));
      for (String segment : log.between(first, stop[1])) {
        copy.file(source.pgdata().resolve("pg_wal").resolve(segment), "pgdata/pg_wal/" + segment);
      }
    }
  }

  private static String[] row(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      String[] values = new String[row.getMetaData().getColumnCount()];
      for (int i = 0; i < values.length; i++) {
        values[i] = row.getString(i + 1);
      }
      return values;
    }
  }
}
