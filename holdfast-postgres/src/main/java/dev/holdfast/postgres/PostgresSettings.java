package dev.holdfast.postgres;

import dev.holdfast.api.internal.Times;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link PostgresStore}: where the database is and how to use it.
 *
 * @param url the JDBC URL, such as {@code jdbc:postgresql://localhost:5432/app}. Driver parameters
 *     in the URL take precedence over everything here
 * @param user the database role; null to take it from the URL. Defaults to null
 * @param password the password of the role; null to take it from the URL or from {@code ~/.pgpass}.
 *     Defaults to null
 * @param schema the schema of the tables. Independent installations can share a database if each
 *     has its own schema. Defaults to {@code holdfast}
 * @param poolSize the maximum number of connections in the pool. Connections are opened on demand
 *     and closed when idle. A larger pool helps if many threads enqueue; a node itself needs about
 *     five connections. At least 2. Defaults to 10
 * @param statementTimeout the maximum duration of a statement before it is cancelled. A shorter
 *     timeout detects an unresponsive database sooner; a longer timeout allows larger batches. From
 *     1 second to 1 day. Defaults to 30 seconds
 * @param aging how long a job waits until it counts as one priority level more urgent. A shorter
 *     time lets old jobs overtake urgent jobs sooner. All programs that share a schema should use
 *     the same value. From zero to 365 days. Defaults to 15 minutes
 * @param name the first part of {@code application_name}; the id of this store follows it. At most
 *     26 ASCII characters. An {@code ApplicationName} in the URL replaces both parts; other nodes
 *     then cannot find and end the sessions of a process that died while it held locks. Defaults to
 *     {@code holdfast}
 */
public record PostgresSettings(
    String url,
    @Nullable String user,
    @Nullable String password,
    String schema,
    int poolSize,
    Duration statementTimeout,
    Duration aging,
    String name) {

  /** The default schema: {@code holdfast}. */
  public static final String DEFAULT_SCHEMA = "holdfast";

  /** The default statement timeout: 30 seconds. */
  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

  /** The default aging: 15 minutes. */
  public static final Duration DEFAULT_AGING = Duration.ofMinutes(15);

  private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

  // At most 40 characters, so that names derived from it fit into the 63 bytes that PostgreSQL
  // allows.
  private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,39}");

  // The URLs that the driver can read, without the user:password@ that other drivers support.
  private static final Pattern URL =
      Pattern.compile(
          "jdbc:postgresql:(//|///|//${host}(,${host})*/(${char})*|(${char})*)(\\?([^%]|%[0-9a-fA-F]{2})*)?"
              .replace("${host}", "([^:/?@,%\\s\\[\\]]*|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?")
              .replace("${char}", "[^/?@%\\s]|%[0-9a-fA-F]{2}"));

  /** The words that PostgreSQL accepts as the name of a schema only if they are quoted. */
  static final Set<String> RESERVED =
      Set.of(
          """
          all analyse analyze and any array as asc asymmetric authorization binary both case cast \
          check collate collation column concurrently constraint create cross current_catalog \
          current_date current_role current_schema current_time current_timestamp current_user \
          default deferrable desc distinct do else end except false fetch for foreign freeze from \
          full grant group having ilike in initially inner intersect into is isnull join lateral \
          leading left like limit localtime localtimestamp natural not notnull null offset on only \
          or order outer overlaps placing primary references returning right select session_user \
          similar some symmetric system_user table tablesample then to trailing true union unique \
          user using variadic verbose when where window with\
          """
              .split(" "));

  // With a hyphen and a UUID after it, 63 bytes. PostgreSQL truncates longer names and replaces
  // characters that are not ASCII; other nodes could then not find the sessions of a dead process
  // by name.
  private static final Pattern NAME = Pattern.compile("[ -~]{1,26}");

  /**
   * Checks the settings.
   *
   * @throws IllegalArgumentException if a setting is not valid; the message says what is allowed
   */
  public PostgresSettings {
    checkUrl(url);
    checkSchema(schema);
    if (poolSize < 2) {
      throw new IllegalArgumentException(
          "A pool size of %d is not valid: use at least 2 connections.".formatted(poolSize));
    }
    checkStatementTimeout(statementTimeout);
    checkAging(aging);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "The name '%s' is not valid: use 1 to 26 ASCII characters, such as holdfast, so that application_name has room for the name and an id."
              .formatted(name));
    }
  }

  /** Returns a builder in which every other setting has its default. */
  public static Builder builder(String url) {
    return new Builder(url);
  }

  /** Returns settings for the database with the given URL; every other setting has its default. */
  public static PostgresSettings of(String url) {
    return builder(url).build();
  }

  /** Returns the URL without its parameters, which may contain secrets. */
  public String place() {
    int parameters = url.indexOf('?');
    return parameters < 0 ? url : url.substring(0, parameters);
  }

  /**
   * Checks the URL before the driver sees it, because the driver logs a URL that it cannot read.
   * The URL is never shown: the position of the password in an invalid URL is unknown.
   */
  private static void checkUrl(String url) {
    if (!URL.matcher(url).matches()) {
      throw new IllegalArgumentException(
          "The database URL is not valid (it is not shown because it may contain a password). Use"
              + " the form jdbc:postgresql://localhost:5432/app. Give the user and the password as"
              + " separate settings or as parameters after a '?', with special characters"
              + " percent-encoded.");
    }
  }

  static Duration checkStatementTimeout(Duration timeout) {
    if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "A statement timeout of %s is not valid: use %s to %s."
              .formatted(
                  Times.describe(timeout),
                  Times.describe(SHORTEST_TIMEOUT),
                  Times.describe(LONGEST_TIMEOUT)));
    }
    return timeout;
  }

  static String checkSchema(String schema) {
    if (!SCHEMA.matcher(schema).matches()) {
      throw new IllegalArgumentException(
          "Schema '%s' is not valid: use a-z, 0-9 and _, not starting with a digit, at most 40 characters, such as holdfast."
              .formatted(schema));
    }
    if (schema.startsWith("pg_")) {
      throw new IllegalArgumentException(
          "Schema '%s' is not valid: PostgreSQL reserves names that start with pg_. Use another name, such as holdfast."
              .formatted(schema));
    }
    if (RESERVED.contains(schema)) {
      throw new IllegalArgumentException(
          "Schema '%s' is not valid: it is a reserved word of SQL. Use another name, such as %s_jobs."
              .formatted(schema, schema));
    }
    return schema;
  }

  static Duration checkAging(Duration aging) {
    if (aging.isNegative() || aging.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(
          "An aging of %s is not valid: use zero to 365 days, such as 15 minutes."
              .formatted(Times.describe(aging)));
    }
    return aging;
  }

  /** Returns the settings without the password. */
  @Override
  public String toString() {
    return "PostgresSettings[%s, user=%s, schema=%s, poolSize=%d, statementTimeout=%s, aging=%s]"
        .formatted(place(), user, schema, poolSize, statementTimeout, aging);
  }

  /** Builds {@link PostgresSettings}. A setting that is not set has its default. */
  public static final class Builder {
    private final String url;
    private @Nullable String user;
    private @Nullable String password;
    private String schema = DEFAULT_SCHEMA;
    private int poolSize = 10;
    private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;
    private Duration aging = DEFAULT_AGING;
    private String name = "holdfast";

    private Builder(String url) {
      this.url = url;
    }

    /** Sets the database role. Null takes it from the URL. Defaults to null. */
    public Builder user(@Nullable String value) {
      this.user = value;
      return this;
    }

    /**
     * Sets the password of the role. Null takes it from the URL or from {@code ~/.pgpass}. Defaults
     * to null.
     */
    public Builder password(@Nullable String value) {
      this.password = value;
      return this;
    }

    /**
     * Sets the schema of the tables. Independent installations can share a database if each has its
     * own schema. Defaults to {@code holdfast}.
     */
    public Builder schema(String value) {
      this.schema = value;
      return this;
    }

    /**
     * Sets the maximum number of connections in the pool, at least 2. Connections are opened on
     * demand and closed when idle. A larger pool helps if many threads enqueue; a node itself needs
     * about five connections. Defaults to 10.
     */
    public Builder poolSize(int most) {
      this.poolSize = most;
      return this;
    }

    /**
     * Sets the maximum duration of a statement before it is cancelled, from 1 second to 1 day. A
     * shorter timeout detects an unresponsive database sooner; a longer timeout allows larger
     * batches. Defaults to 30 seconds.
     */
    public Builder statementTimeout(Duration longest) {
      this.statementTimeout = longest;
      return this;
    }

    /**
     * Sets how long a job waits until it counts as one priority level more urgent, from zero to 365
     * days. A shorter time lets old jobs overtake urgent jobs sooner. All programs that share a
     * schema should use the same value. Defaults to 15 minutes.
     */
    public Builder aging(Duration perLevel) {
      this.aging = perLevel;
      return this;
    }

    /**
     * Sets the first part of {@code application_name}, at most 26 ASCII characters; the id of this
     * store follows it. An {@code ApplicationName} in the URL replaces both parts; other nodes then
     * cannot find and end the sessions of a process that died while it held locks. Defaults to
     * {@code holdfast}.
     */
    public Builder name(String value) {
      this.name = value;
      return this;
    }

    /**
     * Builds the settings.
     *
     * @throws IllegalArgumentException if a setting is not valid; the message says what is allowed
     */
    public PostgresSettings build() {
      return new PostgresSettings(
          url, user, password, schema, poolSize, statementTimeout, aging, name);
    }
  }
}
