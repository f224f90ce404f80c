package dev.holdfast.server.secret;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an installation.
 *
 * @param current encrypts and decrypts
 * @param old only decrypts, while secrets are being re-encrypted; null for none
 */
public record MasterKeys(MasterKey current, @Nullable MasterKey old) {

  /** Finds the key that a row names. */
  Optional<MasterKey> find(String id) {
    if (current.id().equals(id)) {
      return Optional.of(current);
    }
    return old != null && old.id().equals(id) ? Optional.of(old) : Optional.empty();
  }
}
