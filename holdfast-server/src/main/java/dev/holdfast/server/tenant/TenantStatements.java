package dev.holdfast.server.tenant;

import dev.holdfast.server.control.ControlDatabase.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
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

  static Tenant insert(Statements statements, String name, TenantSettings settings) {
    statements
        .update(
            "insert into ${schema}.tenant (name, state, settings) values (:name, 'CREATING',"
                + " :settings)")
        .bind("name", name)
        .bind("settings", text(settings))
        .execute();
    return find(statements, name).orElseThrow();
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

  /** Finds tenants whose grace period is over, and locks their rows. */
  static List<Tenant> expired(Statements statements) {
    // Reads the whole table, of at most some thousand rows.
    return statements
        .query(
            """
            select * from ${schema}.tenant where state = 'DELETING' and purge_at <= now()
            for update skip locked
            """)
        .map((row, context) -> read(row))
        .list();
  }

  static long version(Statements statements) {
    return statements.version(VERSION);
  }

  static String text(TenantSettings settings) {
    ObjectNode node = JSON.createObjectNode();
    node.put("keepHistory", settings.keepHistory().toString());
    node.put("keepDeadLetters", settings.keepDeadLetters().toString());
    node.put("requestsPerSecond", settings.requestsPerSecond());
    return node.toString();
  }

  private static TenantSettings settings(String text) {
    JsonNode node = JSON.readTree(text);
    JsonNode rate = node.path("requestsPerSecond");
    return new TenantSettings(
        duration(node, "keepHistory", TenantSettings.DEFAULT.keepHistory()),
        duration(node, "keepDeadLetters", TenantSettings.DEFAULT.keepDeadLetters()),
        rate.isNumber() ? rate.intValue() : null);
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
        purge == null ? null : purge.toInstant());
  }
}
