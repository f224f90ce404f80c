package dev.holdfast.server.api;

import dev.holdfast.api.Counts;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Cursors;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Pages of lists, with cursors. */
final class Paging {
  private static final int USUAL = 50;
  private static final int MOST = 500;

  /** A page ends with the entry that exceeds this size. */
  private static final long MOST_CHARACTERS = 8L << 20;

  /** So many entries are read before it is known how large they are. */
  private static final int FIRST = 20;

  private final Cursors cursors;

  Paging(Cursors cursors) {
    this.cursors = cursors;
  }

  /** Returns how many there are in each state, and in which states there may be more. */
  static Response counts(Counts<?> found) {
    JsonText.Obj counts = JsonText.object();
    found.byState().forEach((state, count) -> counts.put(state.name(), count.longValue()));
    return Response.ok(
        JsonText.object()
            .set("counts", counts.done())
            .set("more", JsonText.texts(found.more().stream().map(Enum::name).toList()))
            .done());
  }

  /**
   * How a list is ordered and written.
   *
   * @param size how many characters of data an entry has; null if all entries are small
   */
  record Listed<K, T>(
      String name,
      Function<String, K> parse,
      Function<T, String> key,
      Function<T, JsonNode> view,
      @Nullable ToLongFunction<T> size) {
    /** A list of small entries. */
    Listed(
        String name,
        Function<String, K> parse,
        Function<T, String> key,
        Function<T, JsonNode> view) {
      this(name, parse, key, view, null);
    }
  }

  /**
   * Returns a page of entries that are few enough to read all of them, in the order of their keys.
   *
   * @param all reads the entries
   */
  <T> Response.Json page(
      Call call, Listed<String, T> listed, Supplier<? extends Collection<T>> all) {
    return page(
        call,
        listed,
        (after, limit) ->
            all.get().stream()
                .filter(entry -> after == null || listed.key().apply(entry).compareTo(after) > 0)
                .sorted(Comparator.comparing(listed.key()))
                .limit(limit)
                .toList());
  }

  /** Some entries of a list, and whether more follow. */
  private record Some<T>(List<T> entries, boolean more) {}

  /**
   * Returns a page. One entry more than requested is read, to see whether another page follows. A
   * page of large entries has fewer than requested, so that no request takes too much memory.
   *
   * @param fetch reads entries after a key, or from the beginning; the second argument is how many
   */
  <K, T> Response.Json page(
      Call call, Listed<K, T> listed, BiFunction<@Nullable K, Integer, List<T>> fetch) {
    int limit = call.query().integer("limit", 1, MOST, USUAL);
    K after = cursors.read(call.scope(), call.query().text("cursor"), listed.parse());
    call.query().done();
    Some<T> shown = read(listed, fetch, after, limit);
    ArrayNode array = JsonText.array();
    shown.entries().forEach(entry -> array.add(listed.view().apply(entry)));
    String next =
        shown.more()
            ? cursors.write(call.scope(), listed.key().apply(shown.entries().getLast()))
            : null;
    return Response.ok(JsonText.object().set(listed.name(), array).put("next", next).done());
  }

  /** Reads large entries in portions, of as many as are likely to fit. */
  private static <K, T> Some<T> read(
      Listed<K, T> listed,
      BiFunction<@Nullable K, Integer, List<T>> fetch,
      @Nullable K after,
      int limit) {
    ToLongFunction<T> size = listed.size();
    List<T> entries = new ArrayList<>();
    K from = after;
    long characters = 0;
    int portion = size == null ? limit + 1 : Math.min(limit + 1, FIRST);
    while (true) {
      List<T> found = fetch.apply(from, portion);
      for (T entry : found) {
        if (entries.size() == limit || characters > MOST_CHARACTERS) {
          return new Some<>(entries, true);
        }
        entries.add(entry);
        characters += size == null ? 0 : size.applyAsLong(entry);
      }
      if (found.size() < portion) {
        return new Some<>(entries, false);
      }
      from = listed.parse().apply(listed.key().apply(found.getLast()));
      long fit = (MOST_CHARACTERS - characters) * entries.size() / Math.max(1, characters);
      portion = Math.clamp(fit, 1, limit + 1 - entries.size());
    }
  }
}
