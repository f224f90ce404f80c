package dev.holdfast.postgres;

import dev.holdfast.engine.store.ScheduleBook.Declaration;
import dev.holdfast.postgres.db.Database;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What nodes declare about schedules. */
final class DeclarationStatements {
  // By schedule_declaration_same and node_pkey.
  private static final String LIVE =
      """
      select d.schedule_id, d.fingerprint, d.generation, d.incarnation = :me
      from ${schema}.schedule_declaration d
      join ${schema}.node n on n.incarnation = d.incarnation and n.state = 'ALIVE'
      where d.application = :application
      """;

  // By schedule_declaration_pkey.
  private static final String TAKE_BACK =
      """
      delete from ${schema}.schedule_declaration d
      where d.incarnation = :me and not exists (
        select from unnest(:ids::text[], :fingerprints::text[]) m(id, fingerprint)
        where m.id = d.schedule_id and m.fingerprint = d.fingerprint)
      """;

  // By node_pkey and schedule_declaration_same. What was declared before keeps its generation.
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
  private final String live;
  private final String takeBack;
  private final String declare;
  private final String cancelUndeclared;

  DeclarationStatements(Database database) {
    this.database = database;
    this.live = database.sql(LIVE);
    this.takeBack = database.sql(TAKE_BACK);
    this.declare = database.sql(DECLARE);
    this.cancelUndeclared = database.sql(CANCEL_UNDECLARED);
  }

  /** A declaration, and whether the node that asks made it. */
  private record Found(Declaration declaration, boolean own) {}

  /** Looks first: a node whose declarations are noted, which is nearly always, writes nothing. */
  List<Declaration> declare(UUID me, String application, Map<String, String> fingerprints) {
    return database.run(
        "declare the schedules of application %s".formatted(application),
        handle -> {
          List<Found> found = live(handle, me, application);
          Map<String, String> noted = new HashMap<>();
          found.stream()
              .filter(Found::own)
              .forEach(own ->
                  noted.put(own.declaration().scheduleId(), own.declaration().fingerprint()));
          if (!noted.equals(fingerprints)) {
            // Together: a schedule that nobody declares for a moment would be cancelled.
            handle.useTransaction(both -> {
              write(both, takeBack, me, application, fingerprints);
              write(both, declare, me, application, fingerprints);
            });
            found = live(handle, me, application);
          }
          return found.stream().map(Found::declaration).toList();
        });
  }

  private List<Found> live(Handle handle, UUID me, String application) {
    return handle
        .createQuery(live)
        .bind("me", me)
        .bind("application", application)
        .map((row, context) ->
            new Found(
                new Declaration(row.getString(1), row.getString(2), row.getLong(3)),
                row.getBoolean(4)))
        .list();
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
        "cancel schedules that application %s declares no more".formatted(application),
        handle ->
            handle
                .createQuery(cancelUndeclared)
                .bind("me", me)
                .bind("application", application)
                .map((row, context) -> row.getString(1))
                .list());
  }
}
