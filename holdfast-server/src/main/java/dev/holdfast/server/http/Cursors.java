package dev.holdfast.server.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads cursors: where the next page of a list starts, signed so that only cursors of
 * this installation are accepted, and only for the list and filter that they were made for.
 */
public final class Cursors {
  private static final int SIGNATURE = 16;

  private final SecretKeySpec key;

  /**
   * @param secret the secret that all servers of the installation share
   */
  public Cursors(byte[] secret) {
    this.key = new SecretKeySpec(secret, "HmacSHA256");
  }

  /**
   * Returns a cursor.
   *
   * @param scope what list it is for, with its filter
   * @param last the key of the last entry of the page
   */
  public String write(String scope, String last) {
    byte[] text = last.getBytes(StandardCharsets.UTF_8);
    byte[] all = Arrays.copyOf(sign(scope, text), SIGNATURE + text.length);
    System.arraycopy(text, 0, all, SIGNATURE, text.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
  }

  /**
   * Reads a cursor.
   *
   * @return the key of the last entry of the previous page; null if no cursor was given
   * @throws ProblemException if it was not written for this list and filter
   */
  public <T> @Nullable T read(String scope, @Nullable String cursor, Function<String, T> parse) {
    if (cursor == null) {
      return null;
    }
    try {
      byte[] all = Base64.getUrlDecoder().decode(cursor);
      if (all.length > SIGNATURE) {
        byte[] text = Arrays.copyOfRange(all, SIGNATURE, all.length);
        if (MessageDigest.isEqual(sign(scope, text), Arrays.copyOf(all, SIGNATURE))) {
          return parse.apply(new String(text, StandardCharsets.UTF_8));
        }
      }
    } catch (IllegalArgumentException notBase64) {
      // Refused below, like any other cursor that this installation has not written.
    }
    throw Code.INVALID_CURSOR.because(
        "The cursor is not one of this list and filter: start again without it.");
  }

  private byte[] sign(String scope, byte[] text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(scope.getBytes(StandardCharsets.UTF_8));
      mac.update((byte) 0);
      return Arrays.copyOf(mac.doFinal(text), SIGNATURE);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java platform has HMAC-SHA256", impossible);
    }
  }
}
