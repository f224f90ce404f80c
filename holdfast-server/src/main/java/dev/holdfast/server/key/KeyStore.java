package dev.holdfast.server.key;

import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.ControlDatabase.Statements;
import java.security.MessageDigest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The statements about keys. Every change raises the version of the keys in its transaction. */
public final class KeyStore {
  private static final String VERSION = "key";

  private static final String COLUMNS =
      "k.id, t.name as tenant, k.name, k.attributes, k.tasks, k.workflows, k.created_at,"
          + " k.created_by, k.expires_at, k.revoked_at, k.replaced_by, k.last_used, k.hash";

  private final ControlDatabase database;
  private final String environment;

  /**
   * @param environment the environment that new keys name
   */
  public KeyStore(ControlDatabase database, String environment) {
    this.database = database;
    this.environment = environment;
  }

  /** A key together with the hash of its text. */
  static final class Hashed {
    private final ApiKey key;
    private final byte[] hash;

    Hashed(ApiKey key, byte[] hash) {
      this.key = key;
      this.hash = hash;
    }

    ApiKey key() {
      return key;
    }

    /** Compares in a time that does not depend on where the hashes differ. */
    boolean hasHash(byte[] other) {
      return MessageDigest.isEqual(other, hash);
    }
  }

  /** All keys that are not revoked, and the version that they belong to. */
  record Loaded(long version, List<Hashed> keys) {}

  long version() {
    return database.run("read the version of the keys", statements -> statements.version(VERSION));
  }

  Loaded load() {
    return database.run(
        "read the keys",
        statements -> {
          // The version first: keys that change in between are read again at the next check.
          long version = statements.version(VERSION);
          // Reads the whole table: every key that is not revoked is needed.
          List<Hashed> keys =
              statements
                  .query(
                      "select "
                          + COLUMNS
                          + """
                           from ${schema}.api_key k left join ${schema}.tenant t on t.id = k.tenant
                          where k.revoked_at is null
                            and (t.id is null or t.state in ('ACTIVE', 'SUSPENDED'))
                          """)
                  .map((row, context) -> new Hashed(read(row), row.getBytes("hash")))
                  .list();
          return new Loaded(version, keys);
        });
  }

  /** Lists the keys of a tenant, or of the installation, ordered by id. */
  public List<ApiKey> list(@Nullable String tenant, String after, int limit) {
    // By api_key_tenant.
    return database.run(
        "list keys",
        statements ->
            statements
                .query(
                    "select "
                        + COLUMNS
                        + """
                         from ${schema}.api_key k left join ${schema}.tenant t on t.id = k.tenant
                        where t.name is not distinct from :tenant and k.id > :after
                          and (t.id is null or t.state <> 'DROPPED')
                        order by k.id limit :limit
                        """)
                .bind("tenant", tenant)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> read(row))
                .list());
  }

  /** Finds a key of a tenant, or of the installation. */
  public Optional<ApiKey> find(@Nullable String tenant, String id) {
    return database.run("find key " + id, statements -> find(statements, tenant, id));
  }

  /** Finds a key of a tenant, or of the installation. */
  public Optional<ApiKey> find(Statements statements, @Nullable String tenant, String id) {
    // By api_key_pkey.
    return statements
        .query(
            "select "
                + COLUMNS
                + """
                 from ${schema}.api_key k left join ${schema}.tenant t on t.id = k.tenant
                where k.id = :id and t.name is not distinct from :tenant
                  and (t.id is null or t.state <> 'DROPPED')
                """)
        .bind("id", id)
        .bind("tenant", tenant)
        .map((row, context) -> read(row))
        .findOne();
  }

  /** Returns whether the installation has a key. */
  public boolean hasAdminKey(Statements statements) {
    // By api_key_tenant.
    return statements
        .query("select exists (select from ${schema}.api_key where tenant is null)")
        .mapTo(Boolean.class)
        .one();
  }

  /**
   * Returns whether the installation has a valid key besides this one. Locks all its keys, so that
   * two transactions do not revoke the last two, each because of the other.
   */
  public boolean hasOtherAdminKey(Statements statements, String id) {
    // By api_key_tenant. In order, so that two transactions do not wait for each other.
    return statements
        .query(
            """
            select id <> :id and revoked_at is null and (expires_at is null or expires_at > now())
            from ${schema}.api_key where tenant is null order by id for update
            """)
        .bind("id", id)
        .mapTo(Boolean.class)
        .list()
        .contains(true);
  }

  /**
   * Creates a key.
   *
   * @param owner the id and name of its tenant; null for the installation
   * @return the key, whose secret is stored nowhere
   */
  public KeyText create(
      Statements statements, @Nullable Owner owner, NewKey key, String id, @Nullable String by) {
    KeyText text =
        KeyText.create(environment, owner == null ? KeyText.INSTALLATION : owner.name(), id);
    insert(statements, owner, key, text, by);
    return text;
  }

  /** Stores a key whose text was given, if it is not stored. */
  public void store(Statements statements, NewKey key, KeyText text) {
    insert(statements, null, key, text, null);
  }

  /** The tenant of a key. */
  public record Owner(int id, String name) {}

  private static void insert(
      Statements statements, @Nullable Owner owner, NewKey key, KeyText text, @Nullable String by) {
    statements
        .update(
            """
            insert into ${schema}.api_key
              (id, tenant, name, hash, attributes, tasks, workflows, created_by, expires_at)
            values (:id, :tenant, :name, :hash, :attributes, :tasks, :workflows, :by, :expires)
            on conflict do nothing
            """)
        .bind("id", text.id())
        .bind("tenant", owner == null ? null : owner.id())
        .bind("name", key.name())
        .bind("hash", text.hash())
        .bindArray("attributes", String.class, names(key.attributes()))
        .bindArray("tasks", String.class, key.tasks())
        .bindArray("workflows", String.class, key.workflows())
        .bind("by", by)
        .bind("expires", key.expiresAt() == null ? null : Timestamp.from(key.expiresAt()))
        .execute();
    statements.raise(VERSION);
  }

  private static List<String> names(Set<Attribute> attributes) {
    return attributes.stream().map(Attribute::text).sorted().toList();
  }

  /**
   * Revokes a key that is not revoked.
   *
   * @return whether it was revoked by this call
   */
  public boolean revoke(Statements statements, String id) {
    // By api_key_pkey.
    boolean changed =
        statements
                .update(
                    "update ${schema}.api_key set revoked_at = now() where id = :id and revoked_at"
                        + " is null")
                .bind("id", id)
                .execute()
            > 0;
    statements.raise(VERSION);
    return changed;
  }

  /**
   * Lets a key expire after the overlap, because another one replaces it. A key that expires sooner
   * still does.
   *
   * @return whether it could be replaced: it is not revoked and was not replaced before
   */
  public boolean replace(Statements statements, String id, String by, Duration overlap) {
    // By api_key_pkey.
    boolean changed =
        statements
                .update(
                    """
                    update ${schema}.api_key
                    set replaced_by = :by,
                        expires_at = least(expires_at, now() + make_interval(secs => :overlap))
                    where id = :id and revoked_at is null and replaced_by is null
                    """)
                .bind("id", id)
                .bind("by", by)
                .bind("overlap", (double) overlap.toSeconds())
                .execute()
            > 0;
    statements.raise(VERSION);
    return changed;
  }

  /** Records when keys were used last. Does not raise the version: no check depends on it. */
  void used(Map<String, Instant> times) {
    database.run(
        "record when keys were used",
        statements -> {
          List<Map.Entry<String, Instant>> entries = List.copyOf(times.entrySet());
          // By api_key_pkey.
          return statements
              .update(
                  """
                  update ${schema}.api_key k set last_used = u.at
                  from unnest(:ids::text[], :times::timestamptz[]) u(id, at)
                  where k.id = u.id and (k.last_used is null or k.last_used < u.at)
                  """)
              .bindArray("ids", String.class, entries.stream().map(Map.Entry::getKey).toList())
              .bindArray(
                  "times",
                  String.class,
                  entries.stream().map(entry -> entry.getValue().toString()).toList())
              .execute();
        });
  }

  private static ApiKey read(ResultSet row) throws SQLException {
    Set<Attribute> attributes = EnumSet.noneOf(Attribute.class);
    texts(row, "attributes").forEach(name -> attributes.add(Attribute.parse(name)));
    return new ApiKey(
        row.getString("id"),
        row.getString("tenant"),
        row.getString("name"),
        attributes,
        texts(row, "tasks"),
        texts(row, "workflows"),
        row.getTimestamp("created_at").toInstant(),
        row.getString("created_by"),
        instant(row, "expires_at"),
        instant(row, "revoked_at"),
        row.getString("replaced_by"),
        instant(row, "last_used"));
  }

  private static List<String> texts(ResultSet row, String column) throws SQLException {
    return Arrays.asList((String[]) row.getArray(column).getArray());
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    Timestamp value = row.getTimestamp(column);
    return value == null ? null : value.toInstant();
  }
}
