package dev.holdfast.server.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The proxies whose {@code X-Forwarded-For} and {@code X-Forwarded-Proto} count. From any other
 * address these headers are ignored: everyone can send them.
 */
public final class TrustedProxies {
  /** Nothing that a resolver would look up as a name. */
  private static final Pattern ADDRESS =
      Pattern.compile("[0-9.]{7,15}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

  private static final int MOST_HOPS = 32;

  private final List<Range> ranges;

  private TrustedProxies(List<Range> ranges) {
    this.ranges = ranges;
  }

  /** The addresses that share their first bits with one address. */
  private static final class Range {
    private final byte[] address;
    private final int bits;

    private Range(byte[] address, int bits) {
      this.address = address;
      this.bits = bits;
    }

    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((address[bit / 8] & mask) != (other[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Parses addresses and ranges such as {@code 10.0.0.0/8}.
   *
   * @throws IllegalArgumentException if one is neither
   */
  public static TrustedProxies of(List<String> texts) {
    List<Range> ranges = new ArrayList<>();
    for (String text : texts) {
      int slash = text.indexOf('/');
      byte[] address = bytes(slash < 0 ? text : text.substring(0, slash));
      if (address == null) {
        throw new IllegalArgumentException("'%s' is not an address or a range".formatted(text));
      }
      int bits = slash < 0 ? address.length * 8 : Integer.parseInt(text.substring(slash + 1));
      if (bits < 0 || bits > address.length * 8) {
        throw new IllegalArgumentException("'%s' has too many bits".formatted(text));
      }
      ranges.add(new Range(address, bits));
    }
    return new TrustedProxies(List.copyOf(ranges));
  }

  /** Returns the request as the outermost trusted proxy has received it. */
  RawRequest resolve(RawRequest request) {
    if (ranges.isEmpty() || !trusts(request.address())) {
      return request;
    }
    String client = client(request.address(), request.header("X-Forwarded-For"));
    String scheme = request.header("X-Forwarded-Proto");
    boolean secure = scheme == null ? request.secure() : last(scheme).equalsIgnoreCase("https");
    return request.from(client, secure);
  }

  /** From the right: each trusted proxy appends the address that it has seen. */
  private String client(String peer, @Nullable String forwarded) {
    if (forwarded == null) {
      return peer;
    }
    List<String> hops = Arrays.asList(forwarded.split(",", -1));
    String client = peer;
    int first = Math.max(0, hops.size() - MOST_HOPS);
    for (String hop : hops.subList(first, hops.size()).reversed()) {
      String address = plain(hop.strip());
      if (!trusts(client) || bytes(address) == null) {
        return client;
      }
      client = address;
    }
    return client;
  }

  private static String last(String list) {
    return list.substring(list.lastIndexOf(',') + 1).strip();
  }

  /** Without the port and the brackets that some proxies add. */
  private static String plain(String hop) {
    if (hop.startsWith("[") && hop.contains("]")) {
      return hop.substring(1, hop.indexOf(']'));
    }
    boolean withPort = hop.indexOf(':') >= 0 && hop.indexOf(':') == hop.lastIndexOf(':');
    return withPort ? hop.substring(0, hop.indexOf(':')) : hop;
  }

  private boolean trusts(String address) {
    byte[] bytes = bytes(address);
    return bytes != null && ranges.stream().anyMatch(range -> range.contains(bytes));
  }

  private static byte @Nullable [] bytes(String text) {
    if (!ADDRESS.matcher(text).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException notAnAddress) {
      return null;
    }
  }
}
