package dev.holdfast.postgres.workflow;

import dev.holdfast.engine.store.Definitions;
import dev.holdfast.postgres.db.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Stores the graphs of workflows. */
public final class PgDefinitions implements Definitions {
  // Conflicts on workflow_definition_hash_key. Ordered, so that two nodes cannot deadlock. The time
  // of use is precise to the hour, so that most starts of programs write nothing.
  private static final String REGISTER =
      """
      insert into ${schema}.workflow_definition as d
        (hash, name, format, body, created_at, used_at)
      select u.hash, u.name, u.format, u.body, now(), now()
      from unnest(:hashes::text[], :names::text[], :formats::int[], :bodies::text[])
        u(hash, name, format, body)
      order by u.hash
      on conflict (hash) do update set
        used_at = excluded.used_at, body = excluded.body, retired_at = null, sealed = null
      where d.used_at < excluded.used_at - interval '1 hour' or d.retired_at is not null
      """;

  // By workflow_definition_hash_key.
  private static final String FIND =
      """
      select id, hash, name, format, body from ${schema}.workflow_definition
      where hash = any(:hashes::text[]) and body is not null
      """;

  // By workflow_definition_pkey.
  private static final String BY_ID =
      """
      select id, hash, name, format, body from ${schema}.workflow_definition
      where id = any(:ids::int[]) and body is not null
      """;

  // By workflow_definition_name.
  private static final String VERSIONS =
      """
      select id, hash, name, format, body from ${schema}.workflow_definition
      where name = :name and body is not null order by created_at desc, id desc
      """;

  // Reads the whole table: there are few graphs, and only operators ask.
  private static final String NAMES =
      """
      select distinct name collate "C" from ${schema}.workflow_definition
      where body is not null order by 1
      """;

  // Reads the whole table, which has a row for each version of a workflow. The order is that of the
  // code units, as in Java.
  private static final String LATEST =
      """
      select distinct on (name collate "C") id, hash, name, format, body
      from ${schema}.workflow_definition
      where name collate "C" > :after and body is not null
      order by name collate "C", created_at desc, id desc
      limit :limit
      """;

  private final Database database;
  private final String register;
  private final String find;
  private final String byId;
  private final String versions;
  private final String names;
  private final String latest;

  public PgDefinitions(Database database) {
    this.database = database;
    this.register = database.sql(REGISTER);
    this.find = database.sql(FIND);
    this.byId = database.sql(BY_ID);
    this.versions = database.sql(VERSIONS);
    this.names = database.sql(NAMES);
    this.latest = database.sql(LATEST);
  }

  @Override
  public List<Stored> register(List<Definition> definitions) {
    if (definitions.isEmpty()) {
      return List.of();
    }
    return database.run(
        "register %d workflows".formatted(definitions.size()),
        handle -> register(handle, definitions));
  }

  private List<Stored> register(Handle handle, List<Definition> definitions) {
    Map<String, Definition> distinct = new HashMap<>();
    definitions.forEach(definition -> distinct.put(definition.hash(), definition));
    List<Definition> rows =
        distinct.values().stream().sorted(Comparator.comparing(Definition::hash)).toList();
    handle
        .createUpdate(register)
        .bindArray("hashes", String.class, Columns.of(rows, Definition::hash))
        .bindArray("names", String.class, Columns.of(rows, Definition::name))
        .bindArray("formats", Integer.class, Columns.of(rows, Definition::format))
        .bindArray("bodies", String.class, Columns.of(rows, Definition::body))
        .execute();
    Map<String, Stored> stored = new HashMap<>();
    find(handle, distinct.keySet()).forEach(each -> stored.put(each.hash(), each));
    return definitions.stream()
        .map(definition -> Objects.requireNonNull(stored.get(definition.hash())))
        .toList();
  }

  @Override
  public List<Stored> find(Collection<String> hashes) {
    return hashes.isEmpty()
        ? List.of()
        : database.run("look up workflows", handle -> find(handle, hashes));
  }

  List<Stored> find(Handle handle, Collection<String> hashes) {
    return handle
        .createQuery(find)
        .bindArray("hashes", String.class, List.copyOf(hashes))
        .map((row, context) -> stored(row))
        .list();
  }

  List<Stored> byId(Handle handle, Collection<Integer> ids) {
    return handle
        .createQuery(byId)
        .bindArray("ids", Integer.class, List.copyOf(ids))
        .map((row, context) -> stored(row))
        .list();
  }

  @Override
  public List<Stored> versions(String workflow) {
    return database.run(
        "list the versions of workflow %s".formatted(workflow),
        handle ->
            handle
                .createQuery(versions)
                .bind("name", workflow)
                .map((row, context) -> stored(row))
                .list());
  }

  @Override
  public List<String> names() {
    return database.run(
        "list workflows", handle -> handle.createQuery(names).mapTo(String.class).list());
  }

  @Override
  public List<Stored> latest(@Nullable String after, int limit) {
    return database.run(
        "list workflows",
        handle ->
            handle
                .createQuery(latest)
                .bind("after", after == null ? "" : after)
                .bind("limit", limit)
                .map((row, context) -> stored(row))
                .list());
  }

  private static Stored stored(ResultSet row) throws SQLException {
    return new Stored(
        row.getInt(1),
        new Definition(row.getString(2), row.getString(3), row.getInt(4), row.getString(5)));
  }
}
