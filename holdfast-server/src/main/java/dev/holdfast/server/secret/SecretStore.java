package dev.holdfast.server.secret;

import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import dev.holdfast.server.secret.MasterKey.Place;
import dev.holdfast.server.secret.MasterKey.Sealed;
import dev.holdfast.server.secret.MasterKey.TamperedException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of secrets. What callers change is recorded in the same transaction. */
final class SecretStore {
  /** How many secrets a tenant may have. */
  static final int MOST = 1_000;

  /** Few enough for a short transaction. */
  private static final int BATCH = 100;

  private final ControlDatabase control;
  private final AuditLog audit;

  SecretStore(ControlDatabase control, AuditLog audit) {
    this.control = control;
    this.audit = audit;
  }

  /** An encrypted secret as it is stored. */
  record Row(Place place, String keyId, long version, Sealed sealed) {}

  /**
   * Stores a secret, new or not.
   *
   * @return its version; empty if the tenant has as many as it may
   */
  Optional<SecretInfo> put(Place place, MasterKey key, Sealed sealed, Actor actor) {
    return control.transaction(
        "store secret " + place.name(),
        statements -> {
          // By task_secret_pkey.
          Optional<SecretInfo> stored =
              statements
                  .query(
                      """
                      insert into ${schema}.task_secret as s
                        (tenant, name, key_id, nonce, ciphertext)
                      select :tenant, :name, :key, :nonce, :ciphertext
                      where exists (
                          select from ${schema}.task_secret where tenant = :tenant and name = :name)
                        or (select count(*) from ${schema}.task_secret where tenant = :tenant)
                          < :most
                      on conflict (tenant, name) do update
                      set key_id = excluded.key_id, nonce = excluded.nonce,
                        ciphertext = excluded.ciphertext, version = s.version + 1,
                        updated_at = now()
                      returning name, key_id, version, created_at, updated_at
                      """)
                  .bind("tenant", place.tenant())
                  .bind("name", place.name())
                  .bind("key", key.id())
                  .bind("nonce", sealed.nonce())
                  .bind("ciphertext", sealed.ciphertext())
                  .bind("most", MOST)
                  .map((row, context) -> info(row))
                  .findOne();
          stored.ifPresent(info ->
              audit.record(
                  statements,
                  actor,
                  new AuditLog.Act(
                      "secret.set",
                      place.name(),
                      null,
                      "{\"version\":\"%d\",\"keyId\":\"%s\"}"
                          .formatted(info.version(), info.keyId()))));
          return stored;
        });
  }

  /** Lists secrets by name. */
  List<SecretInfo> list(int tenant, @Nullable String after, int limit) {
    // By task_secret_pkey.
    return control.run(
        "list secrets",
        statements ->
            statements
                .query(
                    """
                    select name, key_id, version, created_at, updated_at
                    from ${schema}.task_secret
                    where tenant = :tenant and name > :after
                    order by name limit :limit
                    """)
                .bind("tenant", tenant)
                .bind("after", after == null ? "" : after)
                .bind("limit", limit)
                .map((row, context) -> info(row))
                .list());
  }

  /**
   * Deletes a secret.
   *
   * @return whether there was one
   */
  boolean delete(Place place, Actor actor) {
    return control.transaction(
        "delete secret " + place.name(),
        statements -> {
          // By task_secret_pkey.
          int deleted =
              statements
                  .update(
                      "delete from ${schema}.task_secret where tenant = :tenant and name = :name")
                  .bind("tenant", place.tenant())
                  .bind("name", place.name())
                  .execute();
          if (deleted > 0) {
            audit.record(statements, actor, AuditLog.Act.of("secret.delete", place.name()));
          }
          return deleted > 0;
        });
  }

  Optional<Row> find(Place place) {
    // By task_secret_pkey.
    return control.run(
        "read secret " + place.name(),
        statements ->
            statements
                .query(
                    """
                    select tenant, name, key_id, version, nonce, ciphertext
                    from ${schema}.task_secret where tenant = :tenant and name = :name
                    """)
                .bind("tenant", place.tenant())
                .bind("name", place.name())
                .map((row, context) -> row(row))
                .findOne());
  }

  /**
   * Re-encrypts the secrets that another key encrypts, some after the other. Each batch is stored
   * when it is done, so a rotation that was interrupted is continued by the next one.
   *
   * @return how many were re-encrypted, and which cannot be
   */
  Rotation rotate(MasterKeys keys) {
    MasterKey old = keys.old();
    List<String> damaged = new ArrayList<>();
    int done = old == null ? 0 : rotate(keys.current(), old, damaged);
    return new Rotation(done, remaining(keys.current()), damaged);
  }

  private int rotate(MasterKey current, MasterKey old, List<String> damaged) {
    int done = 0;
    Place last = new Place(Integer.MIN_VALUE, "");
    List<Row> batch;
    do {
      Place after = last;
      batch =
          control.transaction(
              "re-encrypt secrets",
              statements -> {
                List<Row> rows = lock(statements, old, after);
                rotate(statements, current, old, rows);
                return rows;
              });
      for (Row row : batch) {
        if (isDamaged(row, old)) {
          damaged.add("%d/%s".formatted(row.place().tenant(), row.place().name()));
        } else {
          done++;
        }
        last = row.place();
      }
    } while (batch.size() == BATCH);
    return done;
  }

  /**
   * How a rotation went.
   *
   * @param rotated how many secrets were re-encrypted
   * @param remaining how many secrets another key still encrypts
   * @param damaged those of them that cannot be decrypted although the server has their key, as
   *     tenant number and name
   */
  record Rotation(int rotated, long remaining, List<String> damaged) {}

  private static List<Row> lock(Statements statements, MasterKey old, Place after) {
    // By task_secret_key.
    return statements
        .query(
            """
            select tenant, name, key_id, version, nonce, ciphertext
            from ${schema}.task_secret
            where key_id = :old and (tenant, name) > (:tenant, :name)
            order by tenant, name limit :limit for update
            """)
        .bind("old", old.id())
        .bind("tenant", after.tenant())
        .bind("name", after.name())
        .bind("limit", BATCH)
        .map((row, context) -> row(row))
        .list();
  }

  private static void rotate(
      Statements statements, MasterKey current, MasterKey old, List<Row> rows) {
    for (Row row : rows) {
      Sealed sealed;
      try {
        sealed = current.seal(row.place(), old.open(row.place(), row.sealed()));
      } catch (TamperedException damaged) {
        continue; // It stays as it is, for an operator to look at.
      }
      // By task_secret_pkey. The version says that it is still the value that was decrypted.
      statements
          .update(
              """
              update ${schema}.task_secret
              set key_id = :new, nonce = :nonce, ciphertext = :ciphertext
              where tenant = :tenant and name = :name and key_id = :old and version = :version
              """)
          .bind("new", current.id())
          .bind("nonce", sealed.nonce())
          .bind("ciphertext", sealed.ciphertext())
          .bind("tenant", row.place().tenant())
          .bind("name", row.place().name())
          .bind("old", old.id())
          .bind("version", row.version())
          .execute();
    }
  }

  private static boolean isDamaged(Row row, MasterKey key) {
    try {
      return key.open(row.place(), row.sealed()).isEmpty();
    } catch (TamperedException damaged) {
      return true;
    }
  }

  /** Returns how many secrets another key than this encrypts. */
  long remaining(MasterKey current) {
    // By task_secret_key: two ranges, both empty as a rule.
    return control.run(
        "count secrets of other keys",
        statements ->
            statements
                .query(
                    """
                    select (select count(*) from ${schema}.task_secret where key_id < :key)
                      + (select count(*) from ${schema}.task_secret where key_id > :key)
                    """)
                .bind("key", current.id())
                .mapTo(Long.class)
                .one());
  }

  private static SecretInfo info(ResultSet row) throws SQLException {
    return new SecretInfo(
        row.getString("name"),
        row.getString("key_id"),
        row.getLong("version"),
        row.getTimestamp("created_at").toInstant(),
        row.getTimestamp("updated_at").toInstant());
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        new Place(row.getInt("tenant"), row.getString("name")),
        row.getString("key_id"),
        row.getLong("version"),
        new Sealed(row.getBytes("nonce"), row.getBytes("ciphertext")));
  }
}
