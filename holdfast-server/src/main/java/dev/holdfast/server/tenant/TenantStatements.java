package dev.holdfast.server.tenant;

import dev.holdfast.server.control.ControlDatabase.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The statements about tenants. Every change raises the version of the tenants. */
final class TenantStatements {
  private static final String VERSION = "tenant";
  private static final JsonMapper JSON = new JsonMapper();

  private TenantStatements() {}

  static List<Tenant> list(Statements statements, @Nullable String after, int limit) {
    // By tenant_name.
    return statements
        .query(
            """
            select * from ${schema}.tenant
            where state not in ('DROPPED', 'CREATING') and name collate "C" > :after
            order by name collate "C" limit :limit
            """)
        .bind("after", after == null ? "" : after)
        .bind("limit", limit)
        .map((row, context) -> read(row))
        .list();
  }

  static boolean haveAtMostOne(Statements statements) {
    // Reads rows until it finds a second one, after those of dropped tenants.
    return statements
        .query(
            """
            select count(*) <= 1
            from (select from ${schema}.tenant where state <> 'DROPPED' limit 2) found
            """)
        .mapTo(Boolean.class)
        .one();
  }

  static Optional<Tenant> find(Statements statements, String name) {
    // By tenant_name.
    return statements
        .query("select * from ${schema}.tenant where name = :name and state <> 'DROPPED'")
        .bind("name", name)
        .map((row, context) -> read(row))
        .findOne();
  }

  /** Finds a tenant and locks its row until the transaction ends. */
  static Optional<Tenant> lock(Statements statements, String name) {
    // By tenant_name.
    return statements
        .query(
            "select * from ${schema}.tenant where name = :name and state <> 'DROPPED' for update")
        .bind("name", name)
        .map((row, context) -> read(row))
        .findOne();
  }

  /**
   * Inserts a tenant that is being created. Waits for another transaction that does the same.
   *
   * @return empty if there is one with this name
   */
  static Optional<Tenant> insert(Statements statements, String name, TenantSettings settings) {
    // Conflicts on tenant_name.
    int inserted =
        statements
            .update(
                """
                insert into ${schema}.tenant (name, state, settings)
                values (:name, 'CREATING', :settings)
                on conflict (name) where state <> 'DROPPED' do nothing
                """)
            .bind("name", name)
            .bind("settings", text(settings))
            .execute();
    return inserted == 0 ? Optional.empty() : find(statements, name);
  }

  /**
   * Changes the state of a tenant that is in an expected one.
   *
   * @param purgeIn when its schema is dropped; null for never
   * @return whether it was
   */
  static boolean setState(
      Statements statements, int id, TenantState from, TenantState to, @Nullable Duration purgeIn) {
    // By tenant_pkey.
    int changed =
        statements
            .update(
                """
                update ${schema}.tenant
                set state = :to, purge_at = now() + make_interval(secs => :purge::float8)
                where id = :id and state = :from
                """)
            .bind("id", id)
            .bind("from", from.name())
            .bind("to", to.name())
            .bind("purge", purgeIn == null ? null : String.valueOf(purgeIn.toSeconds()))
            .execute();
    statements.raise(VERSION);
    // Keys of a tenant are valid only in some of its states.
    statements.raise("key");
    return changed > 0;
  }

  static void configure(Statements statements, int id, TenantSettings settings) {
    // By tenant_pkey.
    statements
        .update("update ${schema}.tenant set settings = :settings where id = :id")
        .bind("id", id)
        .bind("settings", text(settings))
        .execute();
    statements.raise(VERSION);
  }

  static boolean migrated(Statements statements, int id, int version) {
    // By tenant_pkey.
    statements
        .update(
            """
            update ${schema}.tenant
            set schema_version = :version, migration_error = null, retry_at = null where id = :id
            """)
        .bind("id", id)
        .bind("version", version)
        .execute();
    statements.raise(VERSION);
    return true;
  }

  // Reads the whole table, of at most some thousand rows.
  private static final String TO_MIGRATE =
      """
      from ${schema}.tenant
      where schema_version < :target and state not in ('DROPPED', 'CREATING')
        and coalesce(retry_at, '-infinity') <= now()
      """;

  /** The version of the tables of a tenant. */
  record Version(String schema, int version) {}

  /** Returns the tenant with the newest tables, if there are tenants. */
  static Optional<Version> newest(Statements statements) {
    return statements
        .query(
            """
            select * from ${schema}.tenant where state <> 'DROPPED'
            order by schema_version desc limit 1
            """)
        .map((row, context) -> new Version(read(row).schema(), row.getInt("schema_version")))
        .findOne();
  }

  static boolean anyToMigrate(Statements statements, int target) {
    return statements
        .query("select exists (select " + TO_MIGRATE + ")")
        .bind("target", target)
        .mapTo(Boolean.class)
        .one();
  }

  /** Finds a tenant to migrate that no other server migrates at present. */
  static Optional<Tenant> toMigrate(Statements statements, int target) {
    return statements
        .query("select * " + TO_MIGRATE + " order by id limit 1 for update skip locked")
        .bind("target", target)
        .map((row, context) -> read(row))
        .findOne();
  }

  /** Locks a tenant to migrate it; returns false if another server does, or has done it. */
  static boolean lockToMigrate(Statements statements, int id, int target) {
    // By tenant_pkey.
    return statements
        .query("select 1 " + TO_MIGRATE + " and id = :id for update skip locked")
        .bind("target", target)
        .bind("id", id)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  static boolean notMigrated(Statements statements, int id, String error) {
    // By tenant_pkey.
    return statements
            .update(
                """
                update ${schema}.tenant
                set migration_error = :error, retry_at = now() + interval '1 minute'
                where id = :id
                """)
            .bind("id", id)
            .bind("error", error)
            .execute()
        > 0;
  }

  static boolean registered(Statements statements, int id, String modules) {
    // By tenant_pkey.
    boolean changed =
        statements
                .update(
                    """
                    update ${schema}.tenant set modules = :modules
                    where id = :id and modules is distinct from :modules
                    """)
                .bind("id", id)
                .bind("modules", modules)
                .execute()
            > 0;
    if (changed) {
      statements.raise(VERSION);
    }
    return changed;
  }

  /** Finds the tenants whose tables this program can use. */
  static List<Tenant> usable(Statements statements, int version) {
    // Reads the whole table, of at most some thousand rows.
    return statements
        .query(
            """
            select * from ${schema}.tenant
            where state in ('ACTIVE', 'SUSPENDED') and schema_version >= :version
            """)
        .bind("version", version)
        .map((row, context) -> read(row))
        .list();
  }

  /** Deletes what nodes have recorded about a tenant whose schema is gone. */
  static void forget(Statements statements, int id) {
    // By hold_tenant, hint_tenant, task_secret_pkey and package_version.
    statements.update("delete from ${schema}.hold where tenant = :id").bind("id", id).execute();
    statements.update("delete from ${schema}.hint where tenant = :id").bind("id", id).execute();
    statements
        .update("delete from ${schema}.task_secret where tenant = :id")
        .bind("id", id)
        .execute();
    statements.update("delete from ${schema}.package where tenant = :id").bind("id", id).execute();
  }

  /** Returns whether a tenant has a live job or an open run. */
  static boolean isInUse(Statements statements, Tenant tenant) {
    return statements
        .query(
            "select exists (select from ${tenant}.job) or exists (select from ${tenant}.run)"
                .replace("${tenant}", tenant.schema()))
        .mapTo(Boolean.class)
        .one();
  }

  /** Leaves hints: nodes look at a tenant in which there may be work. */
  static void hint(Statements statements, int id) {
    statements
        .update(
            """
            insert into ${schema}.hint (tenant, kind, due)
            values (:tenant, 'R', now()), (:tenant, 'T', now())
            """)
        .bind("tenant", id)
        .execute();
  }

  // Reads the whole table, of at most some thousand rows.
  private static final String EXPIRED =
      """
      select * from ${schema}.tenant where state = 'DELETING' and purge_at <= now()
      """;

  /** Finds tenants whose grace period is over. */
  static List<Tenant> expired(Statements statements) {
    return statements.query(EXPIRED).map((row, context) -> read(row)).list();
  }

  /** Locks a tenant to drop it; empty if another server does, or it has been restored. */
  static Optional<Tenant> lockExpired(Statements statements, int id) {
    // By tenant_pkey.
    return statements
        .query(EXPIRED + " and id = :id for update skip locked")
        .bind("id", id)
        .map((row, context) -> read(row))
        .findOne();
  }

  static long version(Statements statements) {
    return statements.version(VERSION);
  }

  static String text(TenantSettings settings) {
    ObjectNode node = JSON.createObjectNode();
    node.put("keepHistory", settings.keepHistory().toString());
    node.put("keepDeadLetters", settings.keepDeadLetters().toString());
    node.put("requestsPerSecond", settings.requestsPerSecond());
    node.put("weight", settings.weight());
    node.put("maxHeld", settings.maxHeld());
    TenantQuotas quotas = settings.quotas();
    node.putObject("quotas")
        .put("queuedJobs", quotas.queuedJobs())
        .put("openRuns", quotas.openRuns())
        .put("payloadBytes", quotas.payloadBytes())
        .put("schedules", quotas.schedules());
    ObjectNode packages = node.putObject("packages");
    packages.put("requireSignature", settings.packages().requireSignature());
    ObjectNode trusted = packages.putObject("trustedKeys");
    settings.packages().trustedKeys().forEach(trusted::put);
    return node.toString();
  }

  private static TenantSettings settings(String text) {
    JsonNode node = JSON.readTree(text);
    JsonNode quotas = node.path("quotas");
    return new TenantSettings(
        duration(node, "keepHistory", TenantSettings.DEFAULT.keepHistory()),
        duration(node, "keepDeadLetters", TenantSettings.DEFAULT.keepDeadLetters()),
        integer(node, "requestsPerSecond"),
        node.path("weight").asInt(1),
        integer(node, "maxHeld"),
        new TenantQuotas(
            integer(quotas, "queuedJobs"),
            integer(quotas, "openRuns"),
            integer(quotas, "payloadBytes"),
            integer(quotas, "schedules")),
        packages(node.path("packages")));
  }

  private static TenantPackages packages(JsonNode node) {
    Map<String, String> trusted = new HashMap<>();
    node.path("trustedKeys").forEachEntry((name, key) -> trusted.put(name, key.asString()));
    return new TenantPackages(node.path("requireSignature").asBoolean(false), trusted);
  }

  private static @Nullable Integer integer(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isNumber() ? value.intValue() : null;
  }

  private static Duration duration(JsonNode node, String field, Duration otherwise) {
    JsonNode value = node.path(field);
    return value.isString() ? Duration.parse(value.stringValue()) : otherwise;
  }

  private static Tenant read(ResultSet row) throws SQLException {
    Timestamp purge = row.getTimestamp("purge_at");
    return new Tenant(
        row.getInt("id"),
        row.getString("name"),
        TenantState.valueOf(row.getString("state")),
        row.getTimestamp("created_at").toInstant(),
        settings(row.getString("settings")),
        purge == null ? null : purge.toInstant(),
        row.getString("modules"));
  }
}
