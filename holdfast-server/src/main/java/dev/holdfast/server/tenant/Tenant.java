package dev.holdfast.server.tenant;

import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A tenant.
 *
 * @param id its number, which is never used again
 * @param name its name, which keys contain
 * @param purgeAt when its schema is dropped; null unless it is being deleted
 * @param modules what servers have registered in it last, as a hash; null for nothing
 */
public record Tenant(
    int id,
    String name,
    TenantState state,
    Instant createdAt,
    TenantSettings settings,
    @Nullable Instant purgeAt,
    @Nullable String modules) {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{1,39}");

  /** The name that keys of the installation have in place of that of a tenant. */
  private static final String RESERVED = "admin";

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static String checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "Tenant name '%s' is not valid: use 2 to 40 characters of a-z, 0-9 and -, starting with a letter."
              .formatted(name));
    }
    if (name.equals(RESERVED)) {
      throw new IllegalArgumentException(
          "Tenant name '%s' is reserved for keys of the installation: use another."
              .formatted(name));
    }
    return name;
  }

  /** Returns the schema of its jobs and runs. */
  public String schema() {
    return "holdfast_t" + id;
  }
}
