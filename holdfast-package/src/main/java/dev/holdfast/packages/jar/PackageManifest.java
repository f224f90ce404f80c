package dev.holdfast.packages.jar;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the jar of a package says about itself, in the entry {@value #ENTRY}.
 *
 * @param tasks the names of the tasks that it has handlers for, sorted
 * @param workflows the hashes of the graphs of its workflows, by name
 * @param entries the digest of all other entries, see {@link EntryDigest}
 */
public record PackageManifest(
    PackageId id, List<String> tasks, Map<String, String> workflows, String entries) {
  /** The name of the entry. */
  public static final String ENTRY = "META-INF/holdfast-package.json";

  private static final int FORMAT = 1;
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** Sorts tasks and workflows. */
  public PackageManifest {
    tasks = tasks.stream().sorted().toList();
    workflows = Collections.unmodifiableMap(new TreeMap<>(workflows));
  }

  byte[] toJson() {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", FORMAT);
    json.put("name", id.name());
    json.put("version", id.version());
    ArrayNode names = json.putArray("tasks");
    tasks.forEach(names::add);
    ObjectNode hashes = json.putObject("workflows");
    workflows.forEach(hashes::put);
    json.put("entries", entries);
    return MAPPER
        .writerWithDefaultPrettyPrinter()
        .writeValueAsString(json)
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads a manifest.
   *
   * @throws InvalidPackageException if it is not valid
   */
  static PackageManifest parse(byte[] json) {
    try {
      JsonNode read = MAPPER.readTree(json);
      if (read.path("format").asInt(0) != FORMAT) {
        throw invalid("its format is %s, and %d is known".formatted(read.path("format"), FORMAT));
      }
      List<String> tasks = new ArrayList<>();
      for (JsonNode task : field(read, "tasks", JsonNode::isArray)) {
        tasks.add(text(task, "tasks"));
      }
      Map<String, String> workflows = new TreeMap<>();
      for (Map.Entry<String, JsonNode> each :
          field(read, "workflows", JsonNode::isObject).properties()) {
        workflows.put(each.getKey(), hash(each.getValue(), "workflows"));
      }
      return new PackageManifest(
          new PackageId(text(read.path("name"), "name"), text(read.path("version"), "version")),
          tasks,
          workflows,
          hash(read.path("entries"), "entries"));
    } catch (JacksonException notJson) {
      throw invalid("it is not JSON");
    } catch (IllegalArgumentException invalid) {
      throw invalid(String.valueOf(invalid.getMessage()));
    }
  }

  private static JsonNode field(JsonNode json, String name, Predicate<JsonNode> kind) {
    JsonNode value = json.path(name);
    if (!kind.test(value)) {
      throw invalid("'%s' is missing or of the wrong type".formatted(name));
    }
    return value;
  }

  private static String text(JsonNode value, String name) {
    if (!value.isString()) {
      throw invalid("'%s' is missing or not text".formatted(name));
    }
    return value.asString();
  }

  private static String hash(JsonNode value, String name) {
    String hash = text(value, name);
    if (!HASH.matcher(hash).matches()) {
      throw invalid("'%s' does not have 64 hexadecimal digits".formatted(name));
    }
    return hash;
  }

  private static InvalidPackageException invalid(String why) {
    return new InvalidPackageException(
        "%s is not valid: %s. Build the jar with 'holdfast package build'.".formatted(ENTRY, why));
  }
}
