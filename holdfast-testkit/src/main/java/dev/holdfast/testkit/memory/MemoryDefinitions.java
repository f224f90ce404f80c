package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.Definitions;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stores the graphs of workflows. */
final class MemoryDefinitions implements Definitions {
  private final Tables tables;

  MemoryDefinitions(Tables tables) {
    this.tables = tables;
  }

  @Override
  public List<Stored> register(List<Definition> definitions) {
    return tables.transaction(
        now -> definitions.stream().map(definition -> register(definition, now)).toList());
  }

  private Stored register(Definition definition, Instant now) {
    Map<String, Integer> ids = tables.runs.definitionIds;
    int id = ids.computeIfAbsent(definition.hash(), hash -> ids.size() + 1);
    Stored stored = tables.runs.definitions.computeIfAbsent(id, key -> new Stored(key, definition));
    tables.runs.used.put(id, now);
    tables.runs.retired.remove(id);
    return stored;
  }

  @Override
  public List<Stored> find(Collection<String> hashes) {
    return tables.transaction(now ->
        tables.runs.definitions.values().stream()
            .filter(stored -> hashes.contains(stored.hash()))
            .toList());
  }

  @Override
  public List<Stored> versions(String workflow) {
    return tables.transaction(now ->
        tables.runs.definitions.values().stream()
            .filter(stored -> stored.definition().name().equals(workflow))
            .sorted(Comparator.comparingInt(Stored::id).reversed())
            .toList());
  }

  @Override
  public List<String> names() {
    return tables.transaction(now ->
        tables.runs.definitions.values().stream()
            .map(stored -> stored.definition().name())
            .distinct()
            .sorted()
            .toList());
  }

  @Override
  public List<Stored> latest(@Nullable String after, int limit) {
    return tables.transaction(now ->
        tables.runs.definitions.values().stream()
            .map(stored -> stored.definition().name())
            .filter(name -> after == null || name.compareTo(after) > 0)
            .distinct()
            .sorted()
            .limit(limit)
            .map(name -> versions(name).getFirst())
            .toList());
  }
}
