package dev.holdfast.server.testing;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The description of the API, and which of its responses tests have seen. */
public final class OpenApi {
  private static final String ADDRESS = "https://holdfast.test/openapi.json";
  private static final OpenApi INSTANCE = new OpenApi();

  private final JsonNode document;
  private final SchemaRegistry schemas;
  private final Map<String, Set<String>> requests = new ConcurrentHashMap<>();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  private OpenApi() {
    try (InputStream in = OpenApi.class.getResourceAsStream("/dev/holdfast/server/openapi.yaml")) {
      document = new YAMLMapper().readTree(in);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    schemas =
        SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.schemas(Map.of(ADDRESS, document.toString())));
  }

  public static OpenApi instance() {
    return INSTANCE;
  }

  public JsonNode document() {
    return document;
  }

  public JsonNode operation(String method, String path) {
    return document.path("paths").path(path).path(method.toLowerCase(Locale.ROOT));
  }

  /** All operations, as "GET /path". */
  public Set<String> operations() {
    Set<String> all = new TreeSet<>();
    document
        .path("paths")
        .forEachEntry((path, item) ->
            item.forEachEntry(
                (method, any) -> all.add(method.toUpperCase(Locale.ROOT) + " " + path)));
    return all;
  }

  /** Finds the template of a path; literal segments win. */
  public Optional<String> template(String path) {
    List<String> actual = List.of(path.split("/", -1));
    return document.path("paths").propertyNames().stream()
        .filter(template -> matches(List.of(template.split("/", -1)), actual))
        .min(java.util.Comparator.comparingInt(t -> t.split("\\{", -1).length));
  }

  private static boolean matches(List<String> template, List<String> actual) {
    if (template.size() != actual.size()) {
      return false;
    }
    for (int i = 0; i < actual.size(); i++) {
      if (!template.get(i).startsWith("{") && !template.get(i).equals(actual.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Notes the id of a request that succeeded. */
  void answered(String method, String path, int status, String request) {
    if (status < 300) {
      template(path)
          .ifPresent(template ->
              requests
                  .computeIfAbsent(method + " " + template, any -> ConcurrentHashMap.newKeySet())
                  .add(request));
    }
  }

  /** The ids of requests to an operation that succeeded. */
  public Set<String> requests(String operation) {
    return requests.getOrDefault(operation, Set.of());
  }

  /** Operations of which no successful response was seen. */
  public Set<String> unseen() {
    Set<String> all = operations();
    all.removeAll(seen);
    return all;
  }

  /** Returns what is wrong with a response; empty if the description declares it. */
  public List<String> check(String method, String path, int status, String type, String body) {
    Optional<String> template = template(path);
    if (template.isEmpty() || operation(method, template.get()).isMissingNode()) {
      return status == 404 || status == 405 ? problem(body) : List.of("undeclared route");
    }
    JsonNode responses = operation(method, template.get()).path("responses");
    JsonNode response = responses.path(String.valueOf(status));
    if (response.isMissingNode()) {
      return status >= 400 && (responses.has("default") || status < 500)
          ? problem(body)
          : List.of("status %d is not declared".formatted(status));
    }
    seen.add(method + " " + template.get());
    JsonNode content = response.path("content");
    if (content.isMissingNode()) {
      return body.isEmpty() ? List.of() : List.of("a body is not declared");
    }
    String declared = content.propertyNames().iterator().next();
    if (!type.startsWith(declared)) {
      return List.of("content type %s, declared is %s".formatted(type, declared));
    }
    String name = content.path(declared).path("schema").path("$ref").asString("");
    return name.isEmpty() ? List.of() : validate(name, body);
  }

  private List<String> problem(String body) {
    return validate("#/components/schemas/Problem", body);
  }

  private List<String> validate(String name, String body) {
    Schema schema = schemas.getSchema(SchemaLocation.of(ADDRESS + name));
    return schema
        .validate(
            Json.parse(body),
            context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
        .stream()
        .map(Object::toString)
        .toList();
  }
}
