package dev.holdfast.server.key;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a server lends to processes which it starts. They exist in its memory only, so they are
 * stored nowhere, no other server accepts them, and they end with the process or the server.
 */
public final class LentKeys implements Keys {
  private final Map<String, Lent> keys = new ConcurrentHashMap<>();

  private record Lent(Caller caller, String hash) {}

  /** Creates a key of a tenant that can work and enqueue jobs, and nothing else. */
  public KeyText lend(String environment, String tenant, String name) {
    KeyText key = KeyText.create(environment, tenant);
    Caller caller =
        new Caller(
            key.id(),
            name,
            tenant,
            Set.of(Attribute.CAN_WORK, Attribute.CAN_EXECUTE),
            List.of(),
            List.of());
    keys.put(key.id(), new Lent(caller, hash(key.text())));
    return key;
  }

  /** Ends a key. */
  public void revoke(KeyText key) {
    keys.remove(key.id());
  }

  @Override
  public Optional<Caller> authenticate(@Nullable String presented, @Nullable String tenant) {
    String text = presented == null ? "" : presented;
    Lent found = keys.get(KeyText.parse(text).map(KeyText::id).orElse(""));
    if (found == null || !same(found.hash, hash(text))) {
      return Optional.empty();
    }
    boolean here = String.valueOf(found.caller.tenant()).equals(tenant);
    return here ? Optional.of(found.caller) : Optional.empty();
  }

  private static String hash(String text) {
    return HexFormat.of().formatHex(KeyText.hash(text));
  }

  /** Takes as long for any two texts of the same length. */
  private static boolean same(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public boolean isValid(String id, @Nullable String tenant) {
    Lent found = keys.get(id);
    return found != null && String.valueOf(found.caller.tenant()).equals(tenant);
  }
}
