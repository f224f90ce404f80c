package dev.holdfast.postgres;

import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the database is and how to use it.
 *
 * @param url such as {@code jdbc:postgresql://localhost:5432/app}; parameters of the driver in it
 *     win over everything here
 * @param user null to leave it to the URL
 * @param password null to leave it to the URL, or to {@code ~/.pgpass}
 * @param schema where the tables are; several fleets may share a database, each with a schema of
 *     its own. Defaults to {@code holdfast}
 * @param poolSize how many connections at most; they are made when needed and closed when idle.
 *     More helps many threads that enqueue; a node itself needs about five. Defaults to 10
 * @param statementTimeout how long one statement may take before it is given up. Shorter notices a
 *     sick database sooner, longer lets big batches pass. Defaults to 30 seconds
 * @param aging how long a job waits until it counts as one priority level more urgent. Shorter lets
 *     old jobs overtake urgent ones sooner. Defaults to 15 minutes; all programs that share a
 *     schema should agree on it
 * @param name what the database shows as {@code application_name}, followed by an id of this store;
 *     at most 26 plain characters. An {@code ApplicationName} in the URL takes the place of both,
 *     and the sessions of a process that died with locks are then not ended by others. Defaults to
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

  public static final String DEFAULT_SCHEMA = "holdfast";
  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);
  public static final Duration DEFAULT_AGING = Duration.ofMinutes(15);

  private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

  // 40, so that names derived from it stay within the 63 bytes that PostgreSQL allows.
  private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,39}");

  // What the driver can read, without the user:password@ that other drivers know.
  private static final Pattern URL =
      Pattern.compile(
          "jdbc:postgresql:(//|///|//${host}(,${host})*/(${char})*|(${char})*)(\\?([^%]|%[0-9a-fA-F]{2})*)?"
              .replace("${host}", "([^:/?@,%\\s\\[\\]]*|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?")
              .replace("${char}", "[^/?@%\\s]|%[0-9a-fA-F]{2}"));

  /** What PostgreSQL does not take as the name of a schema unless it is quoted. */
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

  // With a hyphen and a UUID after it, 63 bytes. PostgreSQL cuts off what is longer and rewrites
  // what is not ASCII; nobody would then find the sessions of a dead process by their name.
  private static final Pattern NAME = Pattern.compile("[ -~]{1,26}");

  public PostgresSettings {
    checkUrl(url);
    checkSchema(schema);
    if (poolSize < 2) {
      throw new IllegalArgumentException(
          "A pool of %d connections is too small: give at least 2.".formatted(poolSize));
    }
    checkStatementTimeout(statementTimeout);
    checkAging(aging);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "The name '%s' is not valid: give 1 to 26 characters of plain ASCII, such as holdfast, so that it fits into application_name with an id after it."
              .formatted(name));
    }
  }

  /** Start from the defaults. */
  public static Builder builder(String url) {
    return new Builder(url);
  }

  /** The database of this URL, with defaults for everything else. */
  public static PostgresSettings of(String url) {
    return builder(url).build();
  }

  /** The URL without what may be secret. */
  public String place() {
    int parameters = url.indexOf('?');
    return parameters < 0 ? url : url.substring(0, parameters);
  }

  /**
   * Checked before the driver sees it, which logs a URL that it cannot read; and never shown, since
   * nobody can say where in such a URL the password is.
   */
  private static void checkUrl(String url) {
    if (!URL.matcher(url).matches()) {
      throw new IllegalArgumentException(
          "The URL of the database is not valid (it is not shown, since it may contain a password)."
              + " It looks like jdbc:postgresql://localhost:5432/app; user and password are"
              + " settings of their own, or parameters after a '?', with special characters"
              + " percent-encoded.");
    }
  }

  static Duration checkStatementTimeout(Duration timeout) {
    if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "A statement timeout of %s is not valid: give at least a second and at most a day."
              .formatted(timeout));
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
          "Schema '%s' is not valid: PostgreSQL keeps names that start with pg_ for itself. Use another name, such as holdfast."
              .formatted(schema));
    }
    if (RESERVED.contains(schema)) {
      throw new IllegalArgumentException(
          "Schema '%s' is not valid: that is a reserved word of SQL. Use another name, such as %s_jobs."
              .formatted(schema, schema));
    }
    return schema;
  }

  static Duration checkAging(Duration aging) {
    if (aging.isNegative() || aging.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(
          "An aging of %s is not valid: give zero to 365 days, such as 15 minutes."
              .formatted(aging));
    }
    return aging;
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "PostgresSettings[%s, user=%s, schema=%s, poolSize=%d, statementTimeout=%s, aging=%s]"
        .formatted(place(), user, schema, poolSize, statementTimeout, aging);
  }

  /** Collects settings; what is not called has its default. */
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

    public Builder user(@Nullable String value) {
      this.user = value;
      return this;
    }

    public Builder password(@Nullable String value) {
      this.password = value;
      return this;
    }

    public Builder schema(String value) {
      this.schema = value;
      return this;
    }

    public Builder poolSize(int most) {
      this.poolSize = most;
      return this;
    }

    public Builder statementTimeout(Duration longest) {
      this.statementTimeout = longest;
      return this;
    }

    public Builder aging(Duration perLevel) {
      this.aging = perLevel;
      return this;
    }

    public Builder name(String value) {
      this.name = value;
      return this;
    }

    public PostgresSettings build() {
      return new PostgresSettings(
          url, user, password, schema, poolSize, statementTimeout, aging, name);
    }
  }
}
