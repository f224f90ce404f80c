package dev.holdfast.server.tenant;

import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Which packages a tenant accepts.
 *
 * @param requireSignature whether packages must be signed with one of the keys
 * @param trustedKeys the public keys (Ed25519, X.509 in Base64) whose signatures count, by name
 */
public record TenantPackages(boolean requireSignature, Map<String, String> trustedKeys) {
  /** Accepts packages with and without a signature; trusts no key. */
  public static final TenantPackages ANY = new TenantPackages(false, Map.of());

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,39}");
  private static final int MOST = 50;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public TenantPackages {
    if (trustedKeys.size() > MOST) {
      throw new IllegalArgumentException(
          "packages.trustedKeys has %d keys: give at most %d.".formatted(trustedKeys.size(), MOST));
    }
    if (requireSignature && trustedKeys.isEmpty()) {
      throw new IllegalArgumentException(
          "packages.requireSignature needs at least one key in packages.trustedKeys.");
    }
    trustedKeys.forEach((name, key) -> {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "packages.trustedKeys has the name '%s', which is not valid: use 1 to 40 letters, digits and . _ -."
                .formatted(name));
      }
      PublicKey unused = publicKey(name, key);
    });
    trustedKeys = Collections.unmodifiableMap(new TreeMap<>(trustedKeys));
  }

  private static PublicKey publicKey(String name, String key) {
    try {
      return KeyFactory.getInstance("Ed25519")
          .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(key)));
    } catch (InvalidKeySpecException | IllegalArgumentException notAKey) {
      throw new IllegalArgumentException(
          "packages.trustedKeys.%s is not a public Ed25519 key: give the Base64 text between the lines of its PEM file, in one line."
              .formatted(name),
          notAKey);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform since 15 has Ed25519", impossible);
    }
  }

  /** Returns a trusted key. */
  public PublicKey publicKey(String name) {
    return publicKey(name, String.valueOf(trustedKeys.get(name)));
  }
}
