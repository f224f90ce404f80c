package dev.holdfast.cli.connect;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The query of a request. */
public final class Query {
  private final StringBuilder text = new StringBuilder();

  /** Adds a parameter, unless it is null. */
  public Query add(String name, @Nullable Object value) {
    if (value != null) {
      text.append(text.isEmpty() ? '?' : '&')
          .append(name)
          .append('=')
          .append(URLEncoder.encode(value.toString(), StandardCharsets.UTF_8));
    }
    return this;
  }

  /** Adds a parameter with each of the values. */
  public Query addAll(String name, Collection<?> values) {
    values.forEach(value -> add(name, value));
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
