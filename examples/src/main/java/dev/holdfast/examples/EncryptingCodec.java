package dev.holdfast.examples;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.type.TypeRef;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts what another codec writes, with AES-GCM: a text that was changed in the database is
 * rejected, not decrypted to something else. The result is a JSON string.
 */
public final class EncryptingCodec implements PayloadCodec {
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final PayloadCodec inner;
  private final SecretKey key;
  private final SecureRandom random = new SecureRandom();

  public EncryptingCodec(PayloadCodec inner, SecretKey key) {
    this.inner = inner;
    this.key = key;
  }

  @Override
  public String encode(Object value) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce); // New for each text: GCM is broken by a nonce that is used twice.
    byte[] plain = inner.encode(value).getBytes(StandardCharsets.UTF_8);
    byte[] secret = crypt(Cipher.ENCRYPT_MODE, nonce, plain);
    byte[] both = ByteBuffer.allocate(nonce.length + secret.length).put(nonce).put(secret).array();
    return '"' + Base64.getEncoder().encodeToString(both) + '"';
  }

  @Override
  public <T> @Nullable T decode(String text, TypeRef<T> type) {
    byte[] both;
    try {
      both = Base64.getDecoder().decode(text.substring(1, text.length() - 1));
    } catch (IllegalArgumentException | IndexOutOfBoundsException notOurs) {
      throw new CodecException("The text is not encrypted: another codec wrote it.", notOurs);
    }
    byte[] nonce = Arrays.copyOf(both, NONCE_BYTES);
    byte[] secret = Arrays.copyOfRange(both, Math.min(NONCE_BYTES, both.length), both.length);
    byte[] plain = crypt(Cipher.DECRYPT_MODE, nonce, secret);
    return inner.decode(new String(plain, StandardCharsets.UTF_8), type);
  }

  private byte[] crypt(int mode, byte[] nonce, byte[] text) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
      return cipher.doFinal(text);
    } catch (GeneralSecurityException failure) {
      throw new CodecException("The text was changed, or its key is another one.", failure);
    }
  }
}
