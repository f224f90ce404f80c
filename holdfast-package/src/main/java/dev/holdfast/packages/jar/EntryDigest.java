package dev.holdfast.packages.jar;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The digest of the entries of a package, without its manifest: the SHA-256 of one line for each
 * file, sorted by name, which is the SHA-256 of its content, a blank and its name. It does not
 * depend on compression, order and times.
 */
final class EntryDigest {
  private final Map<String, byte[]> contents = new TreeMap<>();

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256", impossible);
    }
  }

  /** Adds a file. */
  void add(String name, byte[] sha256) {
    if (!name.equals(PackageManifest.ENTRY)) {
      contents.put(name, sha256);
    }
  }

  /** Returns the digest, as 64 hexadecimal digits. */
  String value() {
    MessageDigest all = sha256();
    contents.forEach((name, hash) ->
        all.update(
            "%s %s\n"
                .formatted(HexFormat.of().formatHex(hash), name)
                .getBytes(StandardCharsets.UTF_8)));
    return HexFormat.of().formatHex(all.digest());
  }
}
