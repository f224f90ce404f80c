package dev.holdfast.cli.connect;

import dev.holdfast.cli.print.Json;
import dev.holdfast.cli.print.Listing;
import dev.holdfast.cli.print.Value;
import dev.holdfast.postgres.PostgresStore;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a command works with: the API, the tenant to act in, and where to print. */
public final class Session implements AutoCloseable {
  private static final int LONGEST_PAGE = 500;

  private final Api api;
  private final String tenant;
  private final boolean json;
  private final PrintWriter out;
  private final PrintWriter err;

  Session(Api api, String tenant, boolean json, PrintWriter out, PrintWriter err) {
    this.api = api;
    this.tenant = tenant;
    this.json = json;
    this.out = out;
    this.err = err;
  }

  /** Returns the name of the tenant. */
  public String tenant() {
    return tenant;
  }

  /** Returns whether to print JSON. */
  public boolean json() {
    return json;
  }

  public PrintWriter out() {
    return out;
  }

  public PrintWriter err() {
    return err;
  }

  /** Returns a path below the tenant. */
  public String path(String... segments) {
    return root("tenants", tenant) + joined(segments);
  }

  /** Returns a path below the version of the API. */
  public static String root(String... segments) {
    return "/v1" + joined(segments);
  }

  private static String joined(String... segments) {
    StringBuilder path = new StringBuilder();
    for (String segment : segments) {
      path.append('/')
          .append(URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20"));
    }
    return path.toString();
  }

  /** Sends a request. */
  public JsonNode send(ApiRequest request) {
    return api.send(request);
  }

  /** Sends a file. {@link Target} has checked that there is a server. */
  public JsonNode upload(Upload upload) {
    return api.upload(upload);
  }

  /** Reads something. */
  public JsonNode get(String path) {
    return api.send(ApiRequest.get(path));
  }

  /** Creates something; a lost reply is no problem. */
  public JsonNode create(String path, JsonNode body) {
    return api.send(ApiRequest.create(path, body));
  }

  /** Changes something. */
  public JsonNode post(String path, @Nullable JsonNode body) {
    return api.send(ApiRequest.change("POST", path, body));
  }

  /** Changes something. */
  public JsonNode post(String path) {
    return post(path, null);
  }

  /** Stores something under a name. */
  public JsonNode put(String path, JsonNode body) {
    return api.send(ApiRequest.change("PUT", path, body));
  }

  /** Deletes something. */
  public JsonNode delete(String path) {
    return api.send(ApiRequest.change("DELETE", path, null));
  }

  /**
   * Returns when to look again at something.
   *
   * @param topic a topic of the stream of the tenant, such as {@code run:ID}
   * @param longest how long to wait for an event of the stream before looking anyway
   */
  Changes changes(String topic, Duration longest) {
    return api.changes(path("stream") + new Query().add("topic", topic), longest);
  }

  /** Returns whether the session is on a database, where every request is allowed. */
  public boolean isDatabase() {
    return api instanceof DatabaseApi;
  }

  /** Returns the store, for what only a database can do. {@link Target} has checked that it is. */
  public PostgresStore store() {
    if (api instanceof DatabaseApi database) {
      return database.open().store();
    }
    throw new IllegalStateException("The session is not one on a database");
  }

  /** Prints JSON, or else a sentence; returns exit code 0. */
  public int done(JsonNode result, String sentence) {
    if (json) {
      Json.print(result, out);
    } else {
      out.println(sentence);
      out.flush();
    }
    return ExitCode.DONE.number();
  }

  /** Prints JSON, or else a list; returns exit code 0. */
  public int list(JsonNode result, String field, Listing listing) {
    if (json) {
      Json.print(result, out);
      return ExitCode.DONE.number();
    }
    listing.print(result.get(field), out);
    String next = Value.orNull(result, "next");
    if (next != null) {
      out.println("There are more: add --cursor " + next);
      out.flush();
    }
    return ExitCode.DONE.number();
  }

  /** Returns all entries of a list, which is read page by page. */
  public List<JsonNode> all(String path, String field) {
    List<JsonNode> entries = new ArrayList<>();
    String cursor = null;
    do {
      JsonNode page = get(path + new Query().add("limit", LONGEST_PAGE).add("cursor", cursor));
      page.get(field).forEach(entries::add);
      cursor = Value.orNull(page, "next");
    } while (cursor != null);
    return entries;
  }

  @Override
  public void close() {
    api.close();
  }
}
