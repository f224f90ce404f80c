package dev.holdfast.server.secret;

import dev.holdfast.api.run.SecretSource;
import dev.holdfast.api.run.SecretUnavailableException;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.log.ServerLog;
import dev.holdfast.server.secret.MasterKey.Place;
import dev.holdfast.server.secret.MasterKey.TamperedException;
import dev.holdfast.server.tenant.Tenant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The secrets of all tenants of an installation. */
public final class TenantSecrets {
  private static final Logger log = LoggerFactory.getLogger(TenantSecrets.class);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

  /** Shorter values would be hidden in texts that have nothing to do with them. */
  static final int SHORTEST = 8;

  static final int MOST_BYTES = 65_536;

  /** How long a changed or deleted secret may still be used. */
  private static final Duration FRESH = Duration.ofSeconds(5);

  private static final int MOST_KNOWN = 10_000;

  private final SecretStore store;
  private final @Nullable MasterKeys keys;
  private final LongSupplier nanos;
  private final Map<Place, Known> known = new ConcurrentHashMap<>();

  private record Known(String value, long at) {}

  /**
   * @param keys null if this server has none
   */
  public TenantSecrets(
      ControlDatabase control, AuditLog audit, @Nullable MasterKeys keys, LongSupplier nanos) {
    this.store = new SecretStore(control, audit);
    this.keys = keys;
    this.nanos = nanos;
  }

  /** Logs if there are secrets that this server may be unable to decrypt. */
  public void warnOfUnknownKeys() {
    if (keys == null) {
      return;
    }
    long others = store.remaining(keys.current());
    MasterKey old = keys.old();
    if (others > 0 && old == null) {
      log.warn(
          "{} secrets are encrypted with another master key than {}, and their jobs will fail:"
              + " configure that key as secrets.oldKey, then run 'holdfast secret rotate'",
          others,
          keys.current().id());
    } else if (others > 0) {
      log.warn(
          "{} secrets are not encrypted with the current master key {}: run 'holdfast secret"
              + " rotate'",
          others,
          keys.current().id());
    }
  }

  /** Returns whether this server has a master key. */
  public boolean isConfigured() {
    return keys != null;
  }

  private MasterKeys keys() {
    if (keys == null) {
      throw new SecretUnavailableException(
          "This server has no secrets: configure secrets.key or secrets.keyFile.");
    }
    return keys;
  }

  /**
   * Checks the name of a secret.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static String name(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "The name of the secret is not valid: use 1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-',"
              + " starting with a letter or digit.");
    }
    return name;
  }

  /**
   * Checks a value.
   *
   * @throws IllegalArgumentException if it is not valid; the message does not contain it
   */
  public static String value(String value) {
    int bytes = value.getBytes(StandardCharsets.UTF_8).length;
    if (value.strip().length() < SHORTEST || bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "The value of the secret is not valid: give at least %d characters, because shorter values cannot be hidden in what jobs report, and at most %d bytes."
              .formatted(SHORTEST, MOST_BYTES));
    }
    return value;
  }

  /**
   * Stores a secret.
   *
   * @return what is shown of it; empty if the tenant has as many as it may
   */
  public Optional<SecretInfo> put(Tenant tenant, String name, String value, Actor actor) {
    Place place = new Place(tenant.id(), name(name));
    MasterKey current = keys().current();
    Optional<SecretInfo> stored =
        store.put(place, current, current.seal(place, value(value)), actor);
    known.remove(place);
    return stored;
  }

  /** Returns how many secrets a tenant may have. */
  public static int most() {
    return SecretStore.MOST;
  }

  /** Lists secrets by name. */
  public List<SecretInfo> list(Tenant tenant, @Nullable String after, int limit) {
    return store.list(tenant.id(), after, limit);
  }

  /**
   * Deletes a secret.
   *
   * @return whether there was one
   */
  public boolean delete(Tenant tenant, String name, Actor actor) {
    Place place = new Place(tenant.id(), name(name));
    boolean deleted = store.delete(place, actor);
    known.remove(place);
    return deleted;
  }

  /**
   * How a rotation went.
   *
   * @param keyId the current key
   * @param rotated how many secrets were re-encrypted
   * @param remaining how many secrets another key still encrypts
   * @param damaged those of them that cannot be decrypted with the key that they name, as tenant
   *     number and name
   */
  public record Rotated(String keyId, int rotated, long remaining, List<String> damaged) {}

  /** Re-encrypts all secrets of the old key with the current one. */
  public Rotated rotate() {
    SecretStore.Rotation done = store.rotate(keys());
    return new Rotated(keys().current().id(), done.rotated(), done.remaining(), done.damaged());
  }

  /** Returns the secrets of one tenant, for its handlers. */
  public SecretSource of(Tenant tenant) {
    return name -> find(tenant, name);
  }

  private Optional<String> find(Tenant tenant, String name) {
    MasterKeys all = keys();
    Place place = new Place(tenant.id(), name);
    Known before = known.get(place);
    if (before != null && nanos.getAsLong() - before.at < FRESH.toNanos()) {
      return Optional.of(before.value);
    }
    Optional<String> value = store.find(place).map(row -> open(tenant, all, place, row));
    if (known.size() >= MOST_KNOWN) {
      known.clear();
    }
    value.ifPresentOrElse(
        text -> {
          known.put(place, new Known(text, nanos.getAsLong()));
          ServerLog.hide(text);
        },
        () -> known.remove(place));
    return value;
  }

  /** The place is the one that was asked for, not one that the row claims. */
  private static String open(Tenant tenant, MasterKeys keys, Place place, SecretStore.Row row) {
    MasterKey key =
        keys.find(row.keyId())
            .orElseThrow(() ->
                new SecretUnavailableException(
                    "Secret '%s' of tenant '%s' is encrypted with master key %s, which this server does not have: configure it as secrets.key or secrets.oldKey."
                        .formatted(place.name(), tenant.name(), row.keyId())));
    try {
      return key.open(place, row.sealed());
    } catch (TamperedException tampered) {
      throw new SecretUnavailableException(
          "Secret '%s' of tenant '%s' cannot be decrypted, because its row was changed or copied outside of Holdfast: set it again."
              .formatted(place.name(), tenant.name()),
          tampered);
    }
  }
}
