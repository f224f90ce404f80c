package dev.holdfast.postgres.workflow;

import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRepair;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.OutsideTransaction;
import dev.holdfast.postgres.intake.ExternalTransaction;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.notify.TransactionNotice;
import java.sql.Connection;

/** Keeps workflows and runs on PostgreSQL. */
public final class PgRunStore implements RunStore {
  private final Callers callers;
  private final RunStart callersStart;
  private final PgDefinitions definitions;
  private final PgRunIntake intake;
  private final PgRunAdvance advance;
  private final PgRunControl control;
  private final PgRunQueries queries;
  private final PgRunRepair repair;

  /**
   * How to start runs in external transactions.
   *
   * @param database how to treat external connections
   * @param notice announces what was written
   */
  public record Callers(Database database, IntakeStatements intake, TransactionNotice notice) {}

  /** Our own connections. */
  public record Own(Database database, IntakeStatements intake, OutsideTransaction outside) {}

  public PgRunStore(Own own, Callers callers, JobQueries jobs) {
    Database database = own.database();
    StepJobs steps = new StepJobs(database);
    Gates gates = new Gates(database);
    this.callers = callers;
    this.callersStart =
        new RunStart(callers.database(), callers.intake(), new StepJobs(callers.database()));
    this.definitions = new PgDefinitions(database);
    this.intake =
        new PgRunIntake(
            database, new RunStart(database, own.intake(), steps), gates, own.outside());
    this.advance =
        new PgRunAdvance(
            database,
            definitions,
            new PlanWriter(database, own.intake(), steps),
            gates,
            new ExpressAdvance(database, own.intake()));
    this.control =
        new PgRunControl(
            database,
            steps,
            gates,
            new RunRetry(database, steps, new MapRetry(database, jobs, own.intake())));
    this.queries = new PgRunQueries(database, jobs);
    this.repair = new PgRunRepair(database, steps, gates);
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
    return new TransactionRunIntake(
        callers.database(),
        callersStart,
        wakes ? callers.notice() : TransactionNotice.NONE,
        new ExternalTransaction(callers.database(), transaction));
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
