package dev.holdfast.server.api;

import dev.holdfast.api.Counts;
import dev.holdfast.server.http.Call;
import dev.holdfast.server.http.Cursors;
import dev.holdfast.server.http.JsonText;
import dev.holdfast.server.http.Response;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Pages of lists, with cursors. */
final class Paging {
  private static final int USUAL = 50;
  private static final int MOST = 500;

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

  /** How a list is ordered and written. */
  record Listed<K, T>(
      String name,
      Function<String, K> parse,
      Function<T, String> key,
      Function<T, JsonNode> view) {}

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

  /**
   * Returns a page. One entry more than requested is read, to see whether another page follows.
   *
   * @param fetch reads entries after a key, or from the beginning; the second argument is how many
   */
  <K, T> Response.Json page(
      Call call, Listed<K, T> listed, BiFunction<@Nullable K, Integer, List<T>> fetch) {
    int limit = call.query().integer("limit", 1, MOST, USUAL);
    K after = cursors.read(call.scope(), call.query().text("cursor"), listed.parse());
    call.query().done();
    List<T> found = fetch.apply(after, limit + 1);
    List<T> shown = found.subList(0, Math.min(limit, found.size()));
    ArrayNode array = JsonText.array();
    shown.forEach(entry -> array.add(listed.view().apply(entry)));
    String next =
        found.size() > limit
            ? cursors.write(call.scope(), listed.key().apply(shown.getLast()))
            : null;
    return Response.ok(JsonText.object().set(listed.name(), array).put("next", next).done());
  }
}
