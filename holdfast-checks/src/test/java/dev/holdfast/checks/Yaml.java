package dev.holdfast.checks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** YAML as a tree, with anchors and merge keys ({@code <<}) resolved. */
final class Yaml {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Yaml() {}

  static JsonNode parse(String text) {
    return JSON.valueToTree(merged(new Load(LoadSettings.builder().build()).loadFromString(text)));
  }

  /** Returns all documents that are not empty. */
  static List<JsonNode> documents(String text) {
    List<JsonNode> found = new ArrayList<>();
    for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(text)) {
      if (document != null) {
        found.add(JSON.valueToTree(merged(document)));
      }
    }
    return found;
  }

  private static Object merged(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(Yaml::merged).toList();
    }
    if (!(value instanceof Map<?, ?> map)) {
      return value;
    }
    Map<String, Object> result = new LinkedHashMap<>();
    if (map.get("<<") instanceof Map<?, ?> base) {
      base.forEach((key, inherited) -> result.put(String.valueOf(key), merged(inherited)));
    }
    map.forEach((key, own) -> {
      if (!"<<".equals(key)) {
        result.put(String.valueOf(key), own == null ? null : merged(own));
      }
    });
    return result;
  }
}
