package dev.holdfast.postgres;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.NodeBook;
import dev.holdfast.engine.store.QueueBook.Rule;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.Values;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Which nodes there are, and that they live. All by node_pkey unless said otherwise. */
final class PgNodeBook implements NodeBook {
  // A repeat after a lost answer changes the card and nothing else: the dead stay dead.
  private static final String REGISTER =
      """
      insert into ${schema}.node
        (incarnation, id, host, pid, version, terms, queues, tasks, capacity, state, started_at,
         beaten_at)
      values
        (:incarnation, :id, :host, :pid, :version, :terms, :queues, :tasks, :capacity, 'ALIVE',
         now(), now())
      on conflict (incarnation) do update set
        id = excluded.id, host = excluded.host, pid = excluded.pid, version = excluded.version,
        terms = excluded.terms, queues = excluded.queues, tasks = excluded.tasks,
        capacity = excluded.capacity
      """;

  // Claims by job_held, from the oldest call on that matters: while an old snapshot keeps entries
  // of
  // finished jobs in the index, their calls are older and the scan begins behind them. One
  // statement, so that a beat costs one round trip: the row that says
  // whether the node is alive, then its claims, then the rules of all queues.
  private static final String BEAT =
      """
      with beaten as (
        update ${schema}.node set beat = beat + 1, beaten_at = now(), running = :running
        where incarnation = :incarnation and state = 'ALIVE'
        returning 1
      )
      select 'ALIVE', null::uuid, null::bigint, null::bigint, null::boolean, null::boolean,
             null::text, null::int
      from beaten
      union all
      select 'CLAIM', j.id, j.token, j.claim_no, j.state = 'RUNNING', j.cancel_requested,
             null, null
      from ${schema}.job j
      where j.incarnation = :incarnation and j.claim_no >= :fromCall
        and j.state in ('CLAIMED', 'RUNNING') and exists (select from beaten)
      union all
      select 'RULE', null, null, null, q.paused, null, q.name, q.max_held
      from ${schema}.queue q
      where exists (select from beaten)
      """;

  private static final String LEAVE =
      """
      update ${schema}.node set state = 'DEAD', died_at = now()
      where incarnation = :incarnation and state = 'ALIVE'
      """;

  private static final String LIST =
      """
      select incarnation, id, host, pid, version, terms, queues, tasks, capacity,
             state = 'ALIVE', beat,
             (extract(epoch from now() - beaten_at) * 1000000)::bigint, running
      from ${schema}.node
      order by started_at, incarnation
      """;

  // By job_pkey.
  private static final String HOLDER =
      """
      select incarnation from ${schema}.job
      where id = :id and state in ('CLAIMED', 'RUNNING')
      """;

  private final Database database;
  private final Database heart;
  private final String register;
  private final String beat;
  private final String leave;
  private final String list;
  private final String holder;

  /**
   * @param heart where a node says that it lives, however busy the other one is
   */
  PgNodeBook(Database database, Database heart) {
    this.database = database;
    this.heart = heart;
    this.register = database.sql(REGISTER);
    this.beat = database.sql(BEAT);
    this.leave = database.sql(LEAVE);
    this.list = database.sql(LIST);
    this.holder = database.sql(HOLDER);
  }

  @Override
  public void register(NodeCard card) {
    heart.run(
        "register node %s".formatted(card.id()),
        handle ->
            handle
                .createUpdate(register)
                .bind("incarnation", card.incarnation())
                .bind("id", card.id())
                .bind("host", card.host())
                .bind("pid", card.pid())
                .bind("version", card.version())
                .bind("terms", Values.micros(card.terms()))
                .bindArray("queues", String.class, card.queues())
                .bindArray("tasks", String.class, card.tasks())
                .bind("capacity", card.capacity())
                .execute());
  }

  @Override
  public Optional<BeatReply> beat(UUID incarnation, int running, long fromCall) {
    return heart.run(
        "write the heartbeat of incarnation %s".formatted(incarnation),
        handle -> {
          Beat reply = new Beat();
          handle
              .createQuery(beat)
              .bind("incarnation", incarnation)
              .bind("running", running)
              .bind("fromCall", fromCall)
              .map((row, context) -> reply.read(row))
              .forEach(kind -> {});
          return reply.toReply();
        });
  }

  @Override
  public void leave(UUID incarnation) {
    heart.run(
        "sign incarnation %s off".formatted(incarnation),
        handle -> handle.createUpdate(leave).bind("incarnation", incarnation).execute());
  }

  @Override
  public List<NodeStatus> list() {
    return database.run(
        "list the nodes",
        handle -> handle.createQuery(list).map((row, context) -> status(row)).list());
  }

  @Override
  public Optional<UUID> holderOf(JobId id) {
    return database.run(
        "look up the holder of job %s".formatted(id),
        handle ->
            handle
                .createQuery(holder)
                .bind("id", id.value())
                .map((row, context) -> row.getObject(1, UUID.class))
                .findOne());
  }

  private static NodeStatus status(ResultSet row) throws SQLException {
    return new NodeStatus(
        new NodeCard(
            row.getObject(1, UUID.class),
            row.getString(2),
            row.getString(3),
            row.getLong(4),
            row.getString(5),
            Values.ofMicros(row.getLong(6)),
            Values.strings(row, 7),
            Values.strings(row, 8),
            row.getInt(9)),
        row.getBoolean(10),
        row.getLong(11),
        Values.ofMicros(Math.max(0, row.getLong(12))),
        row.getInt(13));
  }

  /** The rows of a beat, sorted out. */
  private static final class Beat {
    private boolean alive;
    private final List<ClaimRow> claims = new ArrayList<>();
    private final Map<String, Rule> rules = new HashMap<>();

    String read(ResultSet row) throws SQLException {
      String kind = row.getString(1);
      switch (kind) {
        case "CLAIM" ->
            claims.add(
                new ClaimRow(
                    new Held(new JobId(row.getObject(2, UUID.class)), row.getLong(3)),
                    row.getLong(4),
                    row.getBoolean(5),
                    row.getBoolean(6)));
        case "RULE" ->
            rules.put(
                row.getString(7), new Rule(row.getBoolean(5), row.getObject(8, Integer.class)));
        default -> alive = true;
      }
      return kind;
    }

    Optional<BeatReply> toReply() {
      return alive ? Optional.of(new BeatReply(claims, rules)) : Optional.empty();
    }
  }
}
