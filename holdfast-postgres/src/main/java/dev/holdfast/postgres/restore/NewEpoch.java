package dev.holdfast.postgres.restore;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.postgres.schema.SchemaScripts;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;

/** Starts a new epoch of fencing tokens in one schema, in the transaction of the caller. */
public final class NewEpoch {
  /** The number of low bits of a token, which count within an epoch. */
  public static final int NUMBER_BITS = 23;

  // An epoch is a second of the years after 2025, and not one more than the last one: a backup that
  // is restored twice knows the same last epoch both times, and would issue the same tokens again.
  // Seconds cannot run into each other, because no installation issues 8 million tokens in one; and
  // tokens stay below 2^53, which JavaScript can represent, until 2060. If the clock is wrong, the
  // epoch is at least above all that this database knows.
  private static final String RAISE =
      """
      insert into ${schema}.token_epoch (first_token, started_at)
      values (
        greatest(
          (extract(epoch from clock_timestamp())::bigint - 1767225600) << ${bits},
          ((greatest(
              (select first_token from ${schema}.token_epoch),
              (select last_value from ${schema}.lease_token),
              (select max(token) from ${schema}.job)) >> ${bits}) + 1) << ${bits}),
        now())
      on conflict (single) do update
        set first_token = excluded.first_token, started_at = excluded.started_at
      returning first_token
      """;

  // New rows get the default, so the statements that insert most jobs pay nothing for epochs. The
  // constraint stops a statement that was forgotten, or a program that does not know about epochs:
  // a job that cannot start is noticed, a token that is issued twice is not. Not validated, because
  // all rows have just been written.
  private static final String RAISE_JOBS =
      """
      alter table ${schema}.job
        alter column token set default ${first},
        drop constraint if exists job_token_epoch;
      update ${schema}.job set token = ${first} where token < ${first};
      alter table ${schema}.job
        add constraint job_token_epoch check (token >= ${first}) not valid
      """;

  // A lease stays claimed until its time is over, counted from the first request for it: its holder
  // may still be running, but cannot renew or end it. Tokens of leases are unique.
  private static final String RAISE_LEASES =
      """
      select setval('${schema}.lease_token', ${first});
      update ${schema}.lease set token = nextval('${schema}.lease_token')
      where state = 'CLAIMED' and token < ${first}
      """;

  // Sweeps then take back what they held: what ran has crashed, what was only claimed has not.
  private static final String END_NODES =
      """
      update ${schema}.node set
        state = 'DEAD', died_at = now(), death = 'SILENCE', died_for = 0,
        running = 0, lost_slots = 0, lost_lanes = '{}'
      where state = 'ALIVE'
      """;

  private static final String HELD = "select count(*) from ${schema}.job where state = :state";

  /**
   * What has been done to a schema.
   *
   * @param firstToken all tokens that are issued from now on are greater
   * @param nodes how many incarnations were ended
   * @param running how many jobs count as crashed
   * @param claimed how many jobs go back to their queues as not started
   */
  public record Started(String schema, long firstToken, int nodes, long running, long claimed) {}

  private final SchemaScripts scripts;

  /**
   * @param scripts a backup may be older than this program
   */
  public NewEpoch(SchemaScripts scripts) {
    this.scripts = scripts;
  }

  /**
   * Migrates the schema if needed and starts a new epoch. A repetition starts another one, which
   * does no harm.
   *
   * @throws StoreException if a newer program created the tables, or the role does not own them
   */
  public Started start(Handle transaction, String schema) throws SQLException {
    transaction.execute("set local statement_timeout = 0");
    transaction.execute("set local idle_in_transaction_session_timeout = 0");
    transaction.execute("set local lock_timeout = '10s'");
    scripts.lock(transaction, schema);
    requireKnown(transaction, schema);
    requireOwner(transaction, schema);
    scripts.apply(transaction, schema);
    // Programs that are still connected wait, and then find what was changed.
    run(transaction, schema, 0, "lock table ${schema}.job, ${schema}.node, ${schema}.lease");
    long running = held(transaction, schema, "RUNNING");
    long claimed = held(transaction, schema, "CLAIMED");
    long first = transaction.createQuery(sql(RAISE, schema, 0)).mapTo(Long.class).one();
    run(transaction, schema, first, RAISE_JOBS);
    run(transaction, schema, first, RAISE_LEASES);
    int nodes = transaction.createUpdate(sql(END_NODES, schema, first)).execute();
    return new Started(schema, first, nodes, running, claimed);
  }

  private void requireKnown(Handle transaction, String schema) {
    int version = SchemaScripts.version(transaction, schema);
    if (version > scripts.target()) {
      throw new StoreException(
          Outcome.REFUSED,
          "Schema %s has version %d, which a newer version of Holdfast created: use that version. Nothing was written."
              .formatted(schema, version),
          null);
    }
  }

  private static void requireOwner(Handle transaction, String schema) {
    boolean owner =
        transaction
            .createQuery(
                "select pg_has_role(relowner, 'usage') from pg_class where oid = :job::regclass")
            .bind("job", schema + ".job")
            .mapTo(Boolean.class)
            .one();
    if (!owner) {
      throw new StoreException(
          Outcome.REFUSED,
          "This role does not own the tables of schema %s: use the role that migrates them. Nothing was written."
              .formatted(schema),
          null);
    }
  }

  private static long held(Handle transaction, String schema, String state) {
    return transaction
        .createQuery(sql(HELD, schema, 0))
        .bind("state", state)
        .mapTo(Long.class)
        .one();
  }

  private static void run(Handle transaction, String schema, long first, String statements)
      throws SQLException {
    try (var statement = transaction.getConnection().createStatement()) {
      statement.execute(sql(statements, schema, first));
    }
  }

  private static String sql(String template, String schema, long first) {
    return template
        .replace("${schema}", schema)
        .replace("${first}", Long.toString(first))
        .replace("${bits}", Integer.toString(NUMBER_BITS));
  }
}
