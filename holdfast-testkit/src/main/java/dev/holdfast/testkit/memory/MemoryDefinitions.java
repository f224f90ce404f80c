package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.Definitions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    return tables.transaction(now -> definitions.stream().map(this::register).toList());
  }

  private Stored register(Definition definition) {
    Stored stored = byHash(definition.hash());
    if (stored == null) {
      stored = new Stored(tables.runs.definitions.size() + 1, definition);
      tables.runs.definitions.put(stored.id(), stored);
    }
    int id = stored.id();
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
            .map(tables.runs.definitions::get)
            .filter(stored -> stored.definition().name().equals(workflow))
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

  private @Nullable Stored byHash(String hash) {
    return tables.runs.definitions.values().stream()
        .filter(stored -> stored.hash().equals(hash))
        .findFirst()
        .orElse(null);
  }
}
