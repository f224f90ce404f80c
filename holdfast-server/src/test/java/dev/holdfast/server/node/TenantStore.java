package dev.holdfast.server.node;

import dev.holdfast.api.job.JobId;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.tck.contract.StoreFixture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The store of a tenant, as the nodes of servers use it. Each node is a separate server: its
 * process is registered and sends its heartbeats in the control schema, and the server that finds
 * the process dead releases the tenant.
 */
final class TenantStore implements StoreFixture, AutoCloseable {
  private static final int TENANT = 1;
  private static final String CONTROL = "ctl";
  private static final String SCHEMA = "holdfast_t1";

  private final TestDatabase database = SharedServer.freshDatabase();
  private final ControlDatabase control;
  private final SharedConnections connections;
  private final Holds holds = new Holds(CONTROL);
  private final PostgresStore tables;
  private final Store store;
  private final String clear;
  private final List<String> age;
  private int running;

  TenantStore() {
    control =
        ControlDatabase.connect(
            new DatabaseAddress(database.jdbcUrl(), database.user(), database.password()), CONTROL);
    connections =
        SharedConnections.open(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .poolSize(8)
                .build());
    SchemaScripts scripts = SchemaScripts.load(connections.migrating());
    connections
        .database(0, CONTROL)
        .transaction(
            "create the tables of a tenant",
            handle -> {
              scripts.apply(handle, SCHEMA);
              return handle.execute(
                  "insert into ctl.tenant (name, state) values ('ada', 'ACTIVE')");
            });
    tables =
        PostgresStore.sharing(
            connections,
            TENANT,
            SCHEMA,
            (transaction, incarnation) -> holds.join(transaction, incarnation, TENANT, incarnation),
            () -> null);
    Nodes nodes = new Nodes();
    store =
        (Store)
            Proxy.newProxyInstance(
                TenantStore.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("nodes")) {
                    return nodes;
                  }
                  try {
                    return method.invoke(tables, arguments);
                  } catch (InvocationTargetException thrown) {
                    throw thrown.getCause();
                  }
                });
    clear = String.join(";", texts(CLEAR));
    age = texts(AGE);
  }

  private static final String CLEAR =
      """
      select 'delete from ' || c.oid::regclass from pg_class c
      where c.relkind in ('r', 'p') and not c.relispartition
        and (c.relnamespace = 'holdfast_t1'::regnamespace
             and c.relname not like '%version%' and c.relname not like '%history_part%'
             or c.oid in ('ctl.node'::regclass, 'ctl.hold'::regclass, 'ctl.hint'::regclass))
      """;

  // All times of all rows; the clock of the database cannot be moved.
  private static final String AGE =
      """
      select format('update %s set %s', c.oid::regclass,
        string_agg(format('%1$I = %1$I - t', a.attname), ', '))
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
        and a.atttypid = 'timestamptz'::regtype and a.attgenerated = ''
        and not a.attisdropped
        and (c.relnamespace = 'holdfast_t1'::regnamespace and c.relname not like '%version%'
             or c.oid = 'ctl.node'::regclass)
      group by c.oid
      """;

  private List<String> texts(String query) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  long number(String from) {
    return Long.parseLong(texts("select count(*) from " + from).getFirst());
  }

  void execute(String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException failure) {
      throw new IllegalStateException(sql, failure);
    }
  }

  TenantStore emptied() {
    execute(clear);
    running = 0;
    return this;
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public void passTime(Duration time) {
    String shift = " - interval '%d microseconds'".formatted(time.toNanos() / 1_000);
    age.forEach(sql -> execute(sql.replace(" - t", shift)));
  }

  @Override
  public void close() {
    tables.close();
    connections.close();
    control.close();
    database.close();
  }

  /** What a server does with its process and with its node in a tenant. */
  private final class Nodes implements NodeStore {
    private final Database shared = connections.database(0, CONTROL);
    private final ControlNodes processes =
        new ControlNodes(
            shared, connections.heart(CONTROL), connections.session(), () -> running, "");

    @Override
    public void register(NodeRegistration registration, Modes modes, @Nullable UUID before) {
      processes.register(registration, modes, before);
      tables.nodes().register(registration, modes, before);
    }

    @Override
    public Optional<HeartbeatReply> beat(Heartbeat beat) {
      running = beat.running();
      Optional<HeartbeatReply> process = processes.beat(beat);
      return process.flatMap(own ->
          tables
              .nodes()
              .beat(beat)
              .map(reply ->
                  new HeartbeatReply(
                      reply.claims(),
                      reply.rules(),
                      reply.tasks(),
                      own.modes(),
                      own.fenceRequested())));
    }

    @Override
    public Look look(UUID watcher, int reach, boolean dead) {
      return new Look(
          processes.look(watcher, reach, dead).watched(),
          tables.nodes().look(watcher, reach, dead).dead());
    }

    @Override
    public boolean markDead(UUID incarnation, long beat, Duration silence) {
      boolean marked = processes.markDead(incarnation, beat, silence);
      if (marked) {
        release(incarnation);
      }
      return marked;
    }

    private void release(UUID process) {
      holds.of(shared, process).forEach(left -> holds.release(shared, process, left));
    }

    @Override
    public void leave(UUID incarnation) {
      tables.nodes().leave(incarnation);
      processes.leave(incarnation);
      release(incarnation);
    }

    @Override
    public boolean requestFence(UUID incarnation) {
      return processes.requestFence(incarnation);
    }

    @Override
    public List<NodeSnapshot> list() {
      return processes.list();
    }

    @Override
    public boolean setModes(UUID incarnation, Modes seen, Modes modes) {
      return processes.setModes(incarnation, seen, modes);
    }

    @Override
    public List<ClaimRow> claims(UUID incarnation) {
      return tables.nodes().claims(incarnation);
    }

    @Override
    public boolean isAdvised(String task, @Nullable String stack) {
      return tables.nodes().isAdvised(task, stack);
    }

    @Override
    public List<PastHeartbeat> pastBeats(String id, int limit) {
      return tables.nodes().pastBeats(id, limit);
    }

    @Override
    public Optional<UUID> holderOf(JobId id) {
      return tables.nodes().holderOf(id);
    }
  }
}
