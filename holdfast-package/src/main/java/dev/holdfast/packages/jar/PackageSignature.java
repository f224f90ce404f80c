package dev.holdfast.packages.jar;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/**
 * Ed25519 signatures of packages. What is signed is the text {@code holdfast package sha256:} with
 * the digest of the jar, so that a signature for another purpose is not taken for one of a package.
 */
public final class PackageSignature {
  private PackageSignature() {}

  private static byte[] signed(String digest) {
    return ("holdfast package sha256:" + digest).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns whether a key has signed the jar with this digest. */
  public static boolean isValid(String digest, byte[] signature, PublicKey key) {
    try {
      Signature check = Signature.getInstance("Ed25519");
      check.initVerify(key);
      check.update(signed(digest));
      return check.verify(signature);
    } catch (GeneralSecurityException notASignature) {
      return false;
    }
  }

  /** Signs the jar with this digest. */
  public static byte[] sign(String digest, PrivateKey key) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(key);
      signature.update(signed(digest));
      return signature.sign();
    } catch (GeneralSecurityException failure) {
      throw new IllegalArgumentException(
          "The key cannot sign (%s): give an Ed25519 key.".formatted(failure.getMessage()),
          failure);
    }
  }

  /**
   * Reads a private key from a PEM file, as {@code openssl genpkey -algorithm ed25519} writes it.
   *
   * @throws IllegalArgumentException if it is not one
   */
  public static PrivateKey readKey(Path file) throws IOException {
    String text =
        Files.readString(file)
            .replaceAll("-----(BEGIN|END) PRIVATE KEY-----", "")
            .replaceAll("\\s", "");
    try {
      return KeyFactory.getInstance("Ed25519")
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
    } catch (GeneralSecurityException | IllegalArgumentException notAKey) {
      throw new IllegalArgumentException(
          "'%s' is not a private Ed25519 key in a PEM file: create one with 'openssl genpkey -algorithm ed25519'."
              .formatted(file),
          notAKey);
    }
  }
}
