package dev.holdfast.server.key;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * A key as its holder writes it: {@code holdfast_<env>_<tenant>_<keyid>_<secret>}.
 *
 * <p>The secret has 256 random bits in 43 characters, followed by a checksum of everything before
 * it in 6 characters, so that a scanner can tell a leaked key from a text that looks like one.
 *
 * @param owner the name of the tenant; {@link #INSTALLATION} for keys of the installation
 * @param id the public part that identifies the key
 * @param text the whole key
 */
public record KeyText(String environment, String owner, String id, String text) {

  /** The owner of keys that belong to no tenant. No tenant can have this name. */
  public static final String INSTALLATION = "admin";

  /** What the name of an environment looks like. */
  public static final Pattern ENVIRONMENT = Pattern.compile("[a-z][a-z0-9-]{0,15}");

  private static final Pattern FORM =
      Pattern.compile(
          "holdfast_([a-z][a-z0-9-]{0,15})_([a-z][a-z0-9-]{1,39})_([a-z0-9]{12})_([0-9A-Za-z]{49})");

  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int ID_LENGTH = 12;
  private static final int ID_DIGITS = 36;
  private static final int SECRET_LENGTH = 43;
  private static final int CHECKSUM_LENGTH = 6;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Creates a key with a new id and a new secret. */
  public static KeyText create(String environment, String owner) {
    return create(environment, owner, newId());
  }

  /** Creates a key with a new secret. */
  public static KeyText create(String environment, String owner, String id) {
    String open =
        "holdfast_%s_%s_%s_%s"
            .formatted(environment, owner, id, random(RANDOM, SECRET_LENGTH, DIGITS.length()));
    return new KeyText(environment, owner, id, open + checksum(open));
  }

  /** Returns a random id. */
  public static String newId() {
    return lowerCase(random(RANDOM, ID_LENGTH, ID_DIGITS));
  }

  /** Returns the id that always belongs to this seed. */
  public static String idFrom(UUID seed) {
    String digits = new BigInteger(1, hash(seed.toString())).toString(ID_DIGITS);
    return digits.substring(digits.length() - ID_LENGTH);
  }

  private static String lowerCase(String id) {
    return id.toLowerCase(Locale.ROOT);
  }

  private static String random(RandomGenerator random, int length, int digits) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(DIGITS.charAt(random.nextInt(digits)));
    }
    return text.toString();
  }

  /** Parses a key; empty if it has another form or a wrong checksum. */
  public static Optional<KeyText> parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int end = text.length() - CHECKSUM_LENGTH;
    return checksum(text.substring(0, end)).equals(text.substring(end))
        ? Optional.of(new KeyText(parts.group(1), parts.group(2), parts.group(3), text))
        : Optional.empty();
  }

  /** Returns the CRC-32 of a text, in base 62. */
  static String checksum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    long rest = crc.getValue();
    char[] digits = new char[CHECKSUM_LENGTH];
    for (int i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
      digits[i] = DIGITS.charAt((int) (rest % DIGITS.length()));
      rest /= DIGITS.length();
    }
    return new String(digits);
  }

  /** Returns the hash that is stored instead of the key. */
  public byte[] hash() {
    return hash(text);
  }

  static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256", impossible);
    }
  }

  /** Returns everything but the secret. */
  @Override
  public String toString() {
    return "holdfast_%s_%s_%s_...".formatted(environment, owner, id);
  }
}
