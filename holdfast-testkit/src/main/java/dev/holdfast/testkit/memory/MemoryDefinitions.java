package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.Definitions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Stores the graphs of workflows. */
final class MemoryDefinitions implements Definitions {
  private final Tables tables;

  /** The ids in the order of their last registration. */
  private final List<Integer> registered = new ArrayList<>();

  MemoryDefinitions(Tables tables) {
    this.tables = tables;
  }

  @Override
  public List<Stored> register(List<Definition> definitions) {
    return tables.transaction(now -> definitions.stream().map(definition -> register(definition, now)).toList());
  }

  private Stored register(Definition definition, Instant now) {
    Map<String, Integer> ids = tables.runs.definitionIds;
    int id = ids.computeIfAbsent(definition.hash(), hash -> ids.size() + 1);
    Stored stored = tables.runs.definitions.computeIfAbsent(id, key -> new Stored(key, definition));
    tables.runs.used.put(id, now);
    tables.runs.retired.remove(id);
    registered.removeIf(other -> other == id);
    registered.add(id);
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
        registered.reversed().stream()
            .flatMap(id -> Stream.ofNullable(tables.runs.definitions.get(id)))
            .filter(stored -> stored.definition().name().equals(workflow))
            .toList());
  }
}
