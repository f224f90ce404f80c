package dev.holdfast.server.boot;

import org.jspecify.annotations.Nullable;

/**
 * The keys that the first start of an installation creates. They are shown once and stored nowhere.
 *
 * @param admin the key of the installation; null if it was configured or exists
 * @param tenant the first key of tenant {@code default}; null if the tenant exists
 */
public record FirstKeys(@Nullable String admin, @Nullable String tenant) {

  /** Returns whether there is anything to show. */
  public boolean isEmpty() {
    return admin == null && tenant == null;
  }
}
