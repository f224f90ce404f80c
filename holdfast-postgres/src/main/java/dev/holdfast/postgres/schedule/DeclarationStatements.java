package dev.holdfast.postgres.schedule;

import dev.holdfast.engine.store.ScheduleStore.Declaration;
import dev.holdfast.engine.store.ScheduleStore.Declared;
import dev.holdfast.engine.store.ScheduleStore.Standing;
import dev.holdfast.engine.store.ScheduleStore.Survey;
import dev.holdfast.postgres.db.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Stores which schedules the nodes declare. */
final class DeclarationStatements {
  // By schedule_declaration_same, node_pkey and schedule_pkey. Undeclared schedules are found by
  // reading all schedules, which are few.
  private static final String SURVEY =
      """
      with live as (
        select d.schedule_id, d.fingerprint, d.generation, d.incarnation = :me as own
        from ${schema}.schedule_declaration d
        join ${schema}.node n on n.incarnation = d.incarnation and n.state = 'ALIVE'
        where d.application = :application)
      select l.schedule_id, l.fingerprint, l.generation, l.own,
        s.id is not null, s.application, s.fingerprint, s.next_fire is null and not s.cancelled
      from live l left join ${schema}.schedule s on s.id = l.schedule_id
      union all
      select s.id, null, null, false, true, s.application, s.fingerprint, false
      from ${schema}.schedule s
      where s.application = :application
        and not exists (select from live l where l.schedule_id = s.id)
      """;

  // By schedule_declaration_pkey.
  private static final String TAKE_BACK =
      """
      delete from ${schema}.schedule_declaration d
      where d.incarnation = :me and not exists (
        select from unnest(:ids::text[], :fingerprints::text[]) m(id, fingerprint)
        where m.id = d.schedule_id and m.fingerprint = d.fingerprint)
      """;

  // By node_pkey and schedule_declaration_same. A schedule that was declared before keeps its
  // generation.
  private static final String DECLARE =
      """
      insert into ${schema}.schedule_declaration
        (incarnation, schedule_id, application, fingerprint, generation)
      select n.incarnation, m.id, :application, m.fingerprint,
        coalesce(
          (select max(d.generation) from ${schema}.schedule_declaration d
           where d.application = :application and d.schedule_id = m.id
             and d.fingerprint = m.fingerprint),
          nextval('${schema}.schedule_number'))
      from unnest(:ids::text[], :fingerprints::text[]) m(id, fingerprint)
      join ${schema}.node n on n.incarnation = :me and n.state = 'ALIVE'
      on conflict (incarnation, schedule_id) do nothing
      """;

  // Reads all schedules, which are few; declarations by schedule_declaration_same.
  private static final String CANCEL_UNDECLARED =
      """
      delete from ${schema}.schedule s
      where s.application = :application
        and exists (
          select from ${schema}.node n where n.incarnation = :me and n.state = 'ALIVE')
        and not exists (
          select from ${schema}.schedule_declaration d
          join ${schema}.node n on n.incarnation = d.incarnation and n.state = 'ALIVE'
          where d.application = s.application and d.schedule_id = s.id)
      returning s.id
      """;

  private final Database database;
  private final String survey;
  private final String takeBack;
  private final String declare;
  private final String cancelUndeclared;

  DeclarationStatements(Database database) {
    this.database = database;
    this.survey = database.sql(SURVEY);
    this.takeBack = database.sql(TAKE_BACK);
    this.declare = database.sql(DECLARE);
    this.cancelUndeclared = database.sql(CANCEL_UNDECLARED);
  }

  /**
   * A row of the survey.
   *
   * @param fingerprint null for a schedule that no live node declares
   * @param own whether the requesting node declares it
   * @param kept null if the schedule is not stored
   */
  private record Found(
      String id,
      @Nullable String fingerprint,
      long generation,
      boolean own,
      @Nullable Standing kept) {

    static Found read(ResultSet row) throws SQLException {
      String application = row.getString(6);
      return new Found(
          row.getString(1),
          row.getString(2),
          row.getLong(3),
          row.getBoolean(4),
          row.getBoolean(5)
              ? new Standing(
                  application == null ? null : new Declared(application, row.getString(7)),
                  row.getBoolean(8))
              : null);
    }
  }

  /**
   * Stores the declarations of a node. It reads first: nearly always the declarations are already
   * stored and nothing is written.
   */
  Survey declare(UUID me, String application, Map<String, String> fingerprints) {
    return database.run(
        "declare the schedules of application %s".formatted(application),
        handle -> {
          List<Found> found = survey(handle, me, application);
          Map<String, String> noted = new HashMap<>();
          for (Found one : found) {
            if (one.own() && one.fingerprint() != null) {
              noted.put(one.id(), one.fingerprint());
            }
          }
          if (!noted.equals(fingerprints)) {
            // In one transaction: a schedule that no node declares for a moment would be cancelled.
            handle.useTransaction(both -> {
              write(both, takeBack, me, application, fingerprints);
              write(both, declare, me, application, fingerprints);
            });
            found = survey(handle, me, application);
          }
          return survey(found);
        });
  }

  private List<Found> survey(Handle handle, UUID me, String application) {
    return handle
        .createQuery(survey)
        .bind("me", me)
        .bind("application", application)
        .map((row, context) -> Found.read(row))
        .list();
  }

  private static Survey survey(List<Found> found) {
    List<Declaration> live = new ArrayList<>();
    Map<String, Standing> kept = new HashMap<>();
    for (Found one : found) {
      if (one.fingerprint() != null) {
        live.add(new Declaration(one.id(), one.fingerprint(), one.generation()));
      }
      if (one.kept() != null) {
        kept.put(one.id(), one.kept());
      }
    }
    return new Survey(live, kept);
  }

  private static void write(
      Handle handle, String sql, UUID me, String application, Map<String, String> fingerprints) {
    List<String> ids = new ArrayList<>();
    List<String> digests = new ArrayList<>();
    fingerprints.forEach((id, digest) -> {
      ids.add(id);
      digests.add(digest);
    });
    handle
        .createUpdate(sql)
        .bind("me", me)
        .bind("application", application)
        .bindArray("ids", String.class, ids)
        .bindArray("fingerprints", String.class, digests)
        .execute();
  }

  List<String> cancelUndeclared(UUID me, String application) {
    return database.run(
        "cancel schedules that application %s no longer declares".formatted(application),
        handle ->
            handle
                .createQuery(cancelUndeclared)
                .bind("me", me)
                .bind("application", application)
                .map((row, context) -> row.getString(1))
                .list());
  }
}
