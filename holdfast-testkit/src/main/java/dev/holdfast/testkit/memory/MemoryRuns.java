package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.engine.store.RunStore;
import java.sql.Connection;

/** Stores workflows and runs. */
final class MemoryRuns implements RunStore {
  private final MemoryDefinitions definitions;
  private final MemoryRunIntake intake;
  private final MemoryRunAdvance advance;
  private final MemoryRunControl control;
  private final MemoryRunQueries queries;
  private final MemoryRunRepair repair;

  MemoryRuns(Tables tables) {
    RunEndings endings = new RunEndings(tables);
    PlanWriter plans = new PlanWriter(tables, endings);
    this.definitions = new MemoryDefinitions(tables);
    this.intake = new MemoryRunIntake(tables, endings, plans);
    this.advance = new MemoryRunAdvance(tables, plans);
    this.control = new MemoryRunControl(tables, endings, intake);
    this.queries = new MemoryRunQueries(tables);
    this.repair = new MemoryRunRepair(tables, endings);
  }

  @Override
  public Definitions definitions() {
    return definitions;
  }

  @Override
  public RunIntake intake() {
    return intake;
  }

  @Override
  public RunIntake intakeIn(Connection transaction, boolean wakes) {
    throw InMemoryStore.noTransactions("start");
  }

  @Override
  public RunAdvance advance() {
    return advance;
  }

  @Override
  public RunControl control() {
    return control;
  }

  @Override
  public RunQueries queries() {
    return queries;
  }

  @Override
  public RunRepair repair() {
    return repair;
  }
}
