package dev.holdfast.testkit.memory;

import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.engine.store.TriggerSnapshot;
import dev.holdfast.engine.store.TriggerStore;
import dev.holdfast.engine.trigger.SubjectState;
import dev.holdfast.engine.trigger.TriggerText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Stores triggers and the state of their subjects. Triggers are stored as text, so that a test in
 * memory includes the same round trip as production.
 */
final class MemoryTriggerStore implements TriggerStore {
  private final Tables tables;
  private final Map<String, Row> rows = new TreeMap<>();
  private final Map<SubjectKey, SubjectState> subjects = new HashMap<>();

  private record Row(String definition, boolean paused) {
    TriggerStatus status() {
      return new TriggerSnapshot(TriggerText.read(definition), paused);
    }
  }

  private record SubjectKey(String trigger, String subject) {}

  MemoryTriggerStore(Tables tables) {
    this.tables = tables;
  }

  @Override
  public PutResult put(Trigger trigger) {
    String definition = TriggerText.write(trigger);
    return tables.transaction(now -> {
      Row old = rows.get(trigger.id());
      rows.put(trigger.id(), new Row(definition, old != null && old.paused()));
      if (old == null) {
        return PutResult.CREATED;
      }
      return old.definition().equals(definition) ? PutResult.UNCHANGED : PutResult.CHANGED;
    });
  }

  @Override
  public Optional<TriggerStatus> find(String id) {
    return tables.transaction(now -> Optional.ofNullable(rows.get(id)).map(Row::status));
  }

  @Override
  public List<TriggerStatus> list() {
    return tables.transaction(now -> rows.values().stream().map(Row::status).toList());
  }

  @Override
  public boolean pause(String id, boolean paused) {
    return tables.transaction(
        now -> rows.computeIfPresent(id, (key, row) -> new Row(row.definition(), paused)) != null);
  }

  @Override
  public boolean delete(String id) {
    return tables.transaction(now -> {
      subjects.keySet().removeIf(key -> key.trigger().equals(id));
      return rows.remove(id) != null;
    });
  }

  /** Returns the triggers of an event. Call it and all methods below inside a transaction only. */
  List<Trigger> listening(String event) {
    return rows.values().stream()
        .filter(row -> !row.paused())
        .map(row -> TriggerText.read(row.definition()))
        .filter(trigger -> trigger.event().equals(event))
        .toList();
  }

  SubjectState subject(String trigger, String subject) {
    return subjects.getOrDefault(new SubjectKey(trigger, subject), SubjectState.UNKNOWN);
  }

  void remember(String trigger, String subject, SubjectState state) {
    subjects.put(new SubjectKey(trigger, subject), state);
  }
}
