package dev.holdfast.postgres.intake;

import dev.holdfast.engine.store.LargePayload;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Portions;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Stores the large payloads of steps, each once for its run. */
final class StepPayloads {
  private static final int MOST = 1_000;

  // Conflicts on run_payload_pkey; by run_pkey. The runs are locked, or were inserted in this
  // transaction.
  private static final String STORE =
      """
      with stored as (
        insert into ${schema}.run_payload (run_id, id, body)
        select * from unnest(?::uuid[], ?::uuid[], ?::text[])
        on conflict do nothing
        returning run_id, octet_length(body) as bytes
      )
      update ${schema}.run r set bytes = r.bytes + s.bytes
      from (select run_id, sum(bytes) as bytes from stored group by run_id) s
      where r.id = s.run_id
      """;

  private record Key(UUID run, UUID id) {}

  private record Stored(Key key, String body) {}

  private final Database database;
  private final String store;

  StepPayloads(Database database) {
    this.database = database;
    this.store = database.sql(STORE);
  }

  /** Stores the large payloads of jobs. */
  void store(Connection c, List<NewJob> jobs) throws SQLException {
    Map<Key, Stored> large = new LinkedHashMap<>();
    for (NewJob job : jobs) {
      UUID id = LargePayload.id(job);
      StepRef step = job.content().stamp().step();
      if (id != null && step != null) {
        Key key = new Key(step.run().value(), id);
        large.putIfAbsent(key, new Stored(key, String.valueOf(job.content().payload())));
      }
    }
    for (List<Stored> portion :
        Portions.of(List.copyOf(large.values()), MOST, each -> each.body.length())) {
      try (PreparedStatement statement = database.prepare(c, store)) {
        statement.setArray(1, SqlValues.array(c, "uuid", portion, each -> each.key.run));
        statement.setArray(2, SqlValues.array(c, "uuid", portion, each -> each.key.id));
        statement.setArray(3, SqlValues.texts(c, portion, Stored::body));
        int unused = statement.executeUpdate();
      }
    }
  }
}
