package dev.holdfast.engine.trigger;

import dev.holdfast.api.internal.TriggerNames;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import dev.holdfast.api.trigger.Triggers;
import dev.holdfast.engine.intake.ServedQueues;
import dev.holdfast.engine.store.TriggerStore;
import java.util.List;
import java.util.Optional;

/** The triggers of a store. */
public final class StoredTriggers implements Triggers {
  private final TriggerStore store;
  private final ServedQueues declared;

  public StoredTriggers(TriggerStore store, ServedQueues declared) {
    this.store = store;
    this.declared = declared;
  }

  @Override
  public PutResult put(Trigger trigger) {
    declared.check(trigger.queue());
    return store.put(trigger);
  }

  @Override
  public Optional<TriggerStatus> find(String id) {
    return store.find(TriggerNames.id(id));
  }

  @Override
  public List<TriggerStatus> list() {
    return store.list();
  }

  @Override
  public boolean pause(String id) {
    return store.pause(TriggerNames.id(id), true);
  }

  @Override
  public boolean resume(String id) {
    return store.pause(TriggerNames.id(id), false);
  }

  @Override
  public boolean delete(String id) {
    return store.delete(TriggerNames.id(id));
  }
}
