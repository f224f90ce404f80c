package dev.holdfast.server.secret;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A key that encrypts the secrets of tenants, with AES-256-GCM. */
public final class MasterKey {
  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final int ID_LENGTH = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String id;
  private final SecretKeySpec key;

  private MasterKey(byte[] bytes) {
    this.id = idOf(bytes);
    this.key = new SecretKeySpec(bytes, "AES");
  }

  /**
   * Reads a key.
   *
   * @param text 32 bytes in Base64
   * @throws IllegalArgumentException if it is none; the message does not contain it
   */
  public static MasterKey parse(String text) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text.strip());
    } catch (IllegalArgumentException notBase64) {
      bytes = new byte[0];
    }
    if (bytes.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "it is not 32 bytes in Base64: create one with 'openssl rand -base64 32'");
    }
    return new MasterKey(bytes);
  }

  /** The id reveals nothing about the key, and is the same on all servers. */
  private static String idOf(byte[] bytes) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update("holdfast master key id".getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest(bytes)).substring(0, ID_LENGTH);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Returns what names the key in the rows that it has encrypted. */
  public String id() {
    return id;
  }

  /** An encrypted value. */
  static final class Sealed {
    private final byte[] nonce;
    private final byte[] ciphertext;

    Sealed(byte[] nonce, byte[] ciphertext) {
      this.nonce = nonce.clone();
      this.ciphertext = ciphertext.clone();
    }

    byte[] nonce() {
      return nonce.clone();
    }

    byte[] ciphertext() {
      return ciphertext.clone();
    }
  }

  /** Encrypts a value for one place. */
  Sealed seal(Place place, String value) {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    try {
      Cipher cipher = cipher(Cipher.ENCRYPT_MODE, nonce, place);
      return new Sealed(nonce, cipher.doFinal(value.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("AES-GCM is not available", impossible);
    }
  }

  /**
   * Decrypts a value.
   *
   * @throws TamperedException if it was not encrypted with this key for this place
   */
  String open(Place place, Sealed sealed) throws TamperedException {
    try {
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, sealed.nonce(), place);
      return new String(cipher.doFinal(sealed.ciphertext()), StandardCharsets.UTF_8);
    } catch (GeneralSecurityException changed) { // A wrong tag, or not even a ciphertext.
      throw new TamperedException(changed);
    }
  }

  private Cipher cipher(int mode, byte[] nonce, Place place) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(place.bytes());
    return cipher;
  }

  /**
   * Where a value belongs, which is authenticated with it.
   *
   * @param tenant the number of the tenant, which is never used again
   */
  record Place(int tenant, String name) {
    byte[] bytes() {
      return "holdfast secret 1\0%d\0%s".formatted(tenant, name).getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Thrown if a value cannot be decrypted. */
  static final class TamperedException extends Exception {
    private static final long serialVersionUID = 1L;

    TamperedException(Throwable cause) {
      super(cause);
    }
  }

  /** Returns the id only. */
  @Override
  public String toString() {
    return "key " + id;
  }
}
