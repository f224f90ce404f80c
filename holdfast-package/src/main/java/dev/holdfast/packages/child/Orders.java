package dev.holdfast.packages.child;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a server tells a child process, a line of JSON each. */
public sealed interface Orders {
  /** Ends with the line; contains no line break, since JSON escapes it. */
  String line();

  /**
   * The first line: where and how to work.
   *
   * @param server the address of the server, on loopback
   * @param key the key of the process, which must not be written anywhere
   * @param id what the nodes of the process are called, before their number
   * @param timeout how long a node may be silent before it is declared dead
   * @param grace how long running jobs may take when a version is unloaded
   * @param queues how many jobs of each queue run at once
   * @param most how many jobs of a version run at once
   */
  record Start(
      String server,
      String tenant,
      String key,
      String id,
      Duration timeout,
      Duration grace,
      Map<String, Integer> queues,
      int most)
      implements Orders {

    @Override
    public String line() {
      ObjectNode json =
          JSON.createObjectNode()
              .put("server", server)
              .put("tenant", tenant)
              .put("key", key)
              .put("id", id)
              .put("timeout", timeout.toString())
              .put("grace", grace.toString())
              .put("most", most);
      ObjectNode all = json.putObject("queues");
      queues.forEach(all::put);
      return json.toString();
    }

    /** The key is not shown. */
    @Override
    public String toString() {
      return "Start[%s, %s]".formatted(server, tenant);
    }
  }

  /** Loads a version and works for it. */
  record Load(String stack, long number, Path jar) implements Orders {
    @Override
    public String line() {
      return JSON.createObjectNode()
          .put("load", stack)
          .put("number", number)
          .put("jar", jar.toString())
          .toString();
    }
  }

  /** Lets the running jobs of a version end, and unloads it. */
  record Unload(String stack) implements Orders {
    @Override
    public String line() {
      return JSON.createObjectNode().put("unload", stack).toString();
    }
  }

  /** Lets all running jobs end, and ends the process. */
  record Stop() implements Orders {
    @Override
    public String line() {
      return JSON.createObjectNode().put("stop", true).toString();
    }
  }

  /** Reads a line. */
  static Orders read(String line) {
    JsonNode json = JSON.readTree(line);
    String load = text(json, "load");
    if (load != null) {
      return new Load(load, json.path("number").asLong(), Path.of(json.path("jar").asString()));
    }
    String unload = text(json, "unload");
    if (unload != null) {
      return new Unload(unload);
    }
    if (json.path("stop").asBoolean(false)) {
      return new Stop();
    }
    Map<String, Integer> queues = new LinkedHashMap<>();
    json.path("queues").forEachEntry((name, most) -> queues.put(name, most.asInt()));
    return new Start(
        json.path("server").asString(),
        json.path("tenant").asString(),
        json.path("key").asString(),
        json.path("id").asString(),
        Duration.parse(json.path("timeout").asString()),
        Duration.parse(json.path("grace").asString()),
        queues,
        json.path("most").asInt());
  }

  private static @Nullable String text(JsonNode json, String name) {
    return json.path(name).isString() ? json.path(name).asString() : null;
  }

  /** Reads and writes the lines. */
  JsonMapper JSON = JsonMapper.builder().build();
}
