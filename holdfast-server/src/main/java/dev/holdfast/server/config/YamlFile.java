package dev.holdfast.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads the YAML file of a configuration as one text for each key. */
final class YamlFile {
  private YamlFile() {}

  /**
   * Returns the texts of the keys in the file. The names of nested objects are joined with dots.
   *
   * @throws ConfigException if the file cannot be read, or is not valid YAML
   */
  static Map<String, String> read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException failure) {
      throw new ConfigException(
          "The configuration %s cannot be read: %s.".formatted(file, failure));
    }
    if (text.isBlank()) {
      return Map.of();
    }
    JsonNode root;
    try {
      root =
          YAMLMapper.builder()
              .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
              .build()
              .readTree(text);
    } catch (JacksonException wrong) {
      String message = String.valueOf(wrong.getOriginalMessage()).lines().findFirst().orElse("");
      throw new ConfigException(
          "The configuration %s is not valid, at line %d: %s"
              .formatted(
                  file,
                  wrong.getLocation() == null ? 0 : wrong.getLocation().getLineNr(),
                  message));
    }
    if (root.isMissingNode() || root.isNull()) {
      return Map.of();
    }
    if (!root.isObject()) {
      throw new ConfigException(
          "The configuration %s is not valid: write lines such as 'port: 7420'.".formatted(file));
    }
    Map<String, String> found = new LinkedHashMap<>();
    flatten("", root, found);
    return found;
  }

  private static void flatten(String prefix, JsonNode object, Map<String, String> found) {
    object.forEachEntry((name, value) -> {
      String full = prefix + name;
      if (full.equals("queues") && value.isObject()) {
        List<String> pairs = new ArrayList<>();
        value.forEachEntry((queue, most) -> pairs.add(queue + "=" + most.asString()));
        found.put(full, String.join(",", pairs));
      } else if (value.isObject()) {
        flatten(full + ".", value, found);
      } else if (value.isArray()) {
        List<String> items = new ArrayList<>();
        value.forEach(item -> items.add(item.asString()));
        found.put(full, String.join(",", items));
      } else {
        found.put(full, value.isNull() ? "" : value.asString());
      }
    });
  }
}
