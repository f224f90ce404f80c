package dev.holdfast.postgres.run;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Writes journal entries of jobs whose claims are valid, those of several jobs at once. */
final class JournalAppends {
  // By job_pkey. Jobs are locked in the order of their ids, so that two groups cannot deadlock.
  private static final String APPEND =
      """
      with entry as materialized (
        select *
        from unnest(?::uuid[], ?::bigint[], ?::uuid[], ?::text[], ?::int[], ?::text[], ?::text[])
          e(id, token, incarnation, name, occurrence, kind, output)
      ), held as materialized (
        select j.id, j.token, j.incarnation
        from (select distinct id, token, incarnation from entry) c
        join ${schema}.job j on j.id = c.id
        where j.token = c.token
          and coalesce(j.state = 'RUNNING' and j.incarnation = c.incarnation, false)
        order by j.id
        for share of j
      )
      insert into ${schema}.journal (job_id, name, occurrence, kind, output)
      select e.id, e.name, e.occurrence, e.kind, e.output
      from entry e
      join held h on h.id = e.id and h.token = e.token and h.incarnation = e.incarnation
      ${write}
      returning job_id, name, occurrence
      """;

  private final Database database;
  private final String append;

  /**
   * @param write what an insert does if the entry exists
   */
  JournalAppends(Database database, String write) {
    this.database = database;
    this.append = database.sql(APPEND.replace("${write}", write));
  }

  /** An entry for a job that an incarnation holds. */
  record Append(UUID incarnation, ClaimId claim, JournalEntry entry) {
    long size() {
      String output = entry.output();
      return output == null ? 0 : output.length();
    }
  }

  private record Written(UUID job, EntryKey key) {}

  /** Writes entries, and returns for each whether the claim of its job is valid. */
  List<Boolean> write(Connection c, List<Append> all) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, append)) {
      statement.setArray(1, SqlValues.array(c, "uuid", all, JournalAppends::job));
      statement.setArray(2, SqlValues.array(c, "int8", all, a -> a.claim.token()));
      statement.setArray(3, SqlValues.array(c, "uuid", all, Append::incarnation));
      statement.setArray(4, SqlValues.texts(c, all, each -> each.entry.key().name()));
      statement.setArray(5, SqlValues.array(c, "int4", all, each -> each.entry.key().occurrence()));
      statement.setArray(6, SqlValues.texts(c, all, each -> each.entry.kind().name()));
      statement.setArray(7, SqlValues.texts(c, all, each -> each.entry.output()));
      Set<Written> written = new HashSet<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          written.add(
              new Written(
                  row.getObject(1, UUID.class), new EntryKey(row.getString(2), row.getInt(3))));
        }
      }
      return all.stream()
          .map(each -> written.contains(new Written(job(each), each.entry.key())))
          .toList();
    }
  }

  private static UUID job(Append append) {
    return append.claim.id().value();
  }
}
