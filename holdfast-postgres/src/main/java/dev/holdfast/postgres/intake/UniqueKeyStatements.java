package dev.holdfast.postgres.intake;

import dev.holdfast.api.job.JobId;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.LockPatience;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.Candidate.FullKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements for unique keys, on any connection. */
public final class UniqueKeyStatements {
  // By job_unique.
  private static final String KEY_HOLDERS =
      """
      select j.task, j.unique_key, j.id
      from unnest(?::text[], ?::text[]) u(task, key)
      join ${schema}.job j on j.task = u.task and j.unique_key = u.key
      """;

  // By unique_ledger_pkey. An expired entry is replaced.
  private static final String TAKE_LEDGER_KEYS =
      """
      ${patience}insert into ${schema}.unique_ledger as l (task, key, job_id, expires_at)
      select u.task, u.key, u.id,
             statement_timestamp() + u.window_length * interval '1 microsecond'
      from unnest(?::text[], ?::text[], ?::uuid[], ?::bigint[]) u(task, key, id, window_length)
      ${patiently}
      on conflict (task, key) do update
        set job_id = excluded.job_id, expires_at = excluded.expires_at
        where l.expires_at <= statement_timestamp()
      returning job_id
      """;

  // By unique_ledger_pkey.
  private static final String LEDGER_HOLDERS =
      """
      select l.task, l.key, l.job_id
      from unnest(?::text[], ?::text[]) u(task, key)
      join ${schema}.unique_ledger l on l.task = u.task and l.key = u.key
      where l.expires_at > statement_timestamp()
      """;

  // By unique_ledger_pkey.
  private static final String RELEASE_LEDGER_KEYS =
      """
      delete from ${schema}.unique_ledger l
      using unnest(?::text[], ?::text[], ?::uuid[]) u(task, key, id)
      where l.task = u.task and l.key = u.key and l.job_id = u.id
      """;

  private final Database database;
  private final String keyHolders;
  private final String takeLedgerKeys;
  private final String ledgerHolders;
  private final String releaseLedgerKeys;

  UniqueKeyStatements(Database database, LockPatience patience) {
    this.database = database;
    this.keyHolders = database.sql(KEY_HOLDERS);
    this.takeLedgerKeys = database.sql(patience.in(TAKE_LEDGER_KEYS));
    this.ledgerHolders = database.sql(LEDGER_HOLDERS);
    this.releaseLedgerKeys = database.sql(RELEASE_LEDGER_KEYS);
  }

  /** Takes keys with a window, and returns the ids of the jobs and runs that got their key. */
  public Set<UUID> takeLedgerKeys(Connection c, List<KeyRequest> requests) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, takeLedgerKeys)) {
      bindKeys(c, statement, requests.stream().map(KeyRequest::fullKey).toList());
      statement.setArray(3, SqlValues.array(c, "uuid", requests, KeyRequest::id));
      statement.setArray(4, SqlValues.array(c, "int8", requests, UniqueKeyStatements::window));
      return IntakeStatements.ids(statement);
    }
  }

  /** Releases keys that this transaction has just taken. */
  public void releaseLedgerKeys(Connection c, List<KeyRequest> requests) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, releaseLedgerKeys)) {
      bindKeys(c, statement, requests.stream().map(KeyRequest::fullKey).toList());
      statement.setArray(3, SqlValues.array(c, "uuid", requests, KeyRequest::id));
      statement.executeUpdate();
    }
  }

  /**
   * Returns the jobs that hold these keys.
   *
   * @param windowed whether the keys have a window and are in the ledger; otherwise live jobs hold
   *     them
   */
  public Map<FullKey, JobId> holders(Connection c, Set<FullKey> keys, boolean windowed)
      throws SQLException {
    Map<FullKey, JobId> holders = new HashMap<>();
    try (PreparedStatement statement = database.prepare(c, windowed ? ledgerHolders : keyHolders)) {
      bindKeys(c, statement, List.copyOf(keys));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          holders.put(
              new FullKey(rows.getString(1), rows.getString(2)),
              new JobId(rows.getObject(3, UUID.class)));
        }
      }
    }
    return holders;
  }

  private static void bindKeys(Connection c, PreparedStatement statement, List<FullKey> keys)
      throws SQLException {
    statement.setArray(1, SqlValues.texts(c, keys, FullKey::task));
    statement.setArray(2, SqlValues.texts(c, keys, FullKey::value));
  }

  private static @Nullable Long window(KeyRequest request) {
    return SqlValues.microsOrNull(request.key().window());
  }
}
