package dev.holdfast.bench.harness;

import dev.holdfast.cli.database.Address;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/** The environment variables with which clients that are not written in Java find a database. */
final class LibpqVariables {

  private LibpqVariables() {}

  /** Returns the variables of an address; none if its URL is not valid. */
  static Map<String, String> of(Address address) {
    Properties parsed = Driver.parseURL(address.url(), null);
    if (parsed == null) {
      return Map.of();
    }
    Map<String, String> variables = new HashMap<>();
    put(variables, "PGHOST", PGProperty.PG_HOST.getOrDefault(parsed));
    put(variables, "PGPORT", PGProperty.PG_PORT.getOrDefault(parsed));
    put(variables, "PGDATABASE", PGProperty.PG_DBNAME.getOrDefault(parsed));
    put(variables, "PGUSER", either(address.user(), PGProperty.USER.getOrDefault(parsed)));
    put(
        variables,
        "PGPASSWORD",
        either(address.password(), PGProperty.PASSWORD.getOrDefault(parsed)));
    return variables;
  }

  private static @Nullable String either(@Nullable String one, @Nullable String other) {
    return one == null ? other : one;
  }

  private static void put(Map<String, String> variables, String name, @Nullable String value) {
    if (value != null) {
      variables.put(name, value);
    }
  }
}
