package dev.holdfast.postgres.lease;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseSnapshot;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Stores leases and their holders. All statements use lease_pkey unless stated otherwise.
 *
 * <p>The time of one server is never compared with the time of another: otherwise a standby whose
 * clock is ahead would expire every lease when it is promoted. A lease that was granted by another
 * server, or by this one before a restart, can be renewed. For a caller that wants to acquire it,
 * it counts as renewed now.
 */
public final class PgLeaseStore implements LeaseStore {
  private static final int LOOKS = 3;

  private static final String SERVER =
      "(extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint";

  // The token is drawn while the row is locked: a token drawn before the wait for that lock could
  // be smaller than the token of a holder that came and went during the wait. now() is from before
  // the wait, which errs in favor of the current holder. A repeated request finds its own
  // acquisition; a request that arrives long after its lease has ended is not granted again, and
  // one that arrives long after it was repeated takes no time away.
  private static final String ACQUIRE =
      """
      insert into ${schema}.lease as l
        (key, token, acquisition, acquired_at, expires_at, server, ttl, attempt, state, holder)
      values
        (:key, nextval('${schema}.lease_token'), :acquisition, now(),
         now() + :ttl * interval '1 microsecond', ${server}, :ttl, 1, 'CLAIMED', :holder)
      on conflict (key) do update set
        token = case when l.state = 'CLAIMED' and l.acquisition = excluded.acquisition then l.token
                     else nextval('${schema}.lease_token') end,
        attempt = case when l.state = 'CLAIMED' and l.acquisition = excluded.acquisition
                         then l.attempt
                       when l.state in ('CLAIMED', 'EXPIRED') then l.attempt + 1
                       else 1 end,
        acquisition = excluded.acquisition, acquired_at = excluded.acquired_at,
        expires_at = greatest(
          excluded.expires_at,
          case when l.state = 'CLAIMED' and l.acquisition = excluded.acquisition
                    and l.server = ${server} then l.expires_at end),
        ttl = greatest(
          excluded.ttl,
          case when l.state = 'CLAIMED' and l.acquisition = excluded.acquisition then l.ttl end),
        server = excluded.server,
        state = 'CLAIMED', holder = excluded.holder, ended_at = null, detail = null
      where case l.state
              when 'CLAIMED' then l.acquisition = excluded.acquisition
                                  or (l.expires_at <= now() and l.server = ${server})
              when 'EXPIRED' then true
              when 'FAILED' then l.acquisition <> excluded.acquisition
              else l.acquisition <> excluded.acquisition
                   and not (:once and l.expires_at > now())
            end
      returning l.token, l.attempt
      """;

  // A lease that another server granted.
  private static final String ADOPT =
      """
      update ${schema}.lease set
        expires_at = now() + ttl * interval '1 microsecond', server = ${server}
      where key = :key and state = 'CLAIMED' and server is distinct from ${server}
      """;

  // Locked in the order of keys, so that two groups cannot deadlock. A renewal that may shorten the
  // time counts from when the row is locked: now() is from before a wait for that lock, in which
  // another renewal may have extended the time.
  private static final String RENEW =
      """
      with mine as (
        select l.key, r.ttl, r.may_shorten
        from unnest(:keys::text[], :tokens::bigint[], :ttls::bigint[], :mayShorten::boolean[])
          r(key, token, ttl, may_shorten)
        join ${schema}.lease l on l.key = r.key collate "C"
        where l.token = r.token and l.state = 'CLAIMED'
          and (l.expires_at > now() or l.server is distinct from ${server})
        order by l.key
        for update of l
      )
      update ${schema}.lease l set
        expires_at = case
          when mine.may_shorten then clock_timestamp() + mine.ttl * interval '1 microsecond'
          else greatest(
            case when l.server = ${server} then l.expires_at end,
            now() + mine.ttl * interval '1 microsecond') end,
        server = ${server},
        ttl = case when mine.may_shorten then mine.ttl else greatest(l.ttl, mine.ttl) end
      from mine
      where l.key = mine.key
      returning l.token
      """;

  private static final String END =
      """
      update ${schema}.lease set state = :state, ended_at = now(), detail = :detail,
        expires_at = case when :state = 'DONE' then now() + ttl * interval '1 microsecond'
                          else expires_at end
      where key = :key and token = :token and state = 'CLAIMED'
      """;

  // A repeat whose first reply was lost finds what it wrote.
  private static final String ENDED_SO =
      """
      select exists (
        select from ${schema}.lease where key = :key and token = :token and state = :state)
      """;

  private static final String REOPEN =
      """
      update ${schema}.lease set expires_at = now()
      where key = :key and state = 'DONE' and expires_at > now()
      """;

  private static final String COLUMNS =
      """
      l.key, l.state, l.holder, l.token, l.attempt, l.acquired_at,
        case when l.state = 'CLAIMED' and l.server is distinct from ${server} then l.ttl
             else greatest(0, (extract(epoch from l.expires_at - now()) * 1000000)::bigint) end,
        l.ended_at, l.detail\
      """;

  // By lease_expires.
  private static final String ADOPT_OVERDUE =
      """
      update ${schema}.lease set
        expires_at = now() + ttl * interval '1 microsecond', server = ${server}
      where key = any(array(
        select key from ${schema}.lease
        where state = 'CLAIMED' and expires_at <= now() and server is distinct from ${server}
        for update skip locked))
      """;

  // By lease_expires.
  private static final String RECLAIM =
      """
      with over as (
        select key, expires_at from ${schema}.lease
        where state = 'CLAIMED' and expires_at <= now() and server = ${server}
        order by expires_at limit :limit
        for update skip locked
      ), marked as (
        update ${schema}.lease l set state = 'EXPIRED', ended_at = now()
        from over
        where l.key = over.key
        returning l.*
      )
      select ${columns} from marked l order by l.expires_at, l.key
      """;

  private static final String FIND = "select ${columns} from ${schema}.lease l where l.key = :key";

  // For interactive use: a rare state is found by reading all leases.
  private static final String LIST =
      """
      select ${columns} from ${schema}.lease l
      where (:state::text is null or l.state = :state) and (:after::text is null or l.key > :after)
      order by l.key limit :limit
      """;

  private final Database database;
  private final String acquire;
  private final String adopt;
  private final String adoptOverdue;
  private final String renew;
  private final String end;
  private final String endedSo;
  private final String reopen;
  private final String reclaim;
  private final String find;
  private final String list;

  public PgLeaseStore(Database database) {
    this.database = database;
    this.acquire = complete(ACQUIRE);
    this.adopt = complete(ADOPT);
    this.adoptOverdue = complete(ADOPT_OVERDUE);
    this.renew = complete(RENEW);
    this.end = database.sql(END);
    this.endedSo = database.sql(ENDED_SO);
    this.reopen = database.sql(REOPEN);
    this.reclaim = complete(RECLAIM);
    this.find = complete(FIND);
    this.list = complete(LIST);
  }

  private String complete(String statement) {
    return database.sql(statement.replace("${columns}", COLUMNS).replace("${server}", SERVER));
  }

  /**
   * Acquires a lease. Each statement commits by itself. If the lease was not available, its holder
   * may release it before it can be read; in that case the request is tried again.
   */
  @Override
  public Result acquire(LeaseRequest request, UUID acquisition, String holder) {
    return database.run(
        "acquire lease %s".formatted(request.key()),
        handle -> {
          for (int looks = 1; ; looks++) {
            Optional<Result.Granted> granted = tryAcquire(handle, request, acquisition, holder);
            if (granted.isPresent()) {
              return granted.get();
            }
            handle.createUpdate(adopt).bind("key", request.key()).execute();
            Optional<LeaseInfo> seen = find(handle, request.key());
            if (seen.isPresent() && (!seen.get().remaining().isZero() || looks >= LOOKS)) {
              return new Result.Taken(seen.get());
            }
          }
        });
  }

  private Optional<Result.Granted> tryAcquire(
      Handle handle, LeaseRequest request, UUID acquisition, String holder) {
    return handle
        .createQuery(acquire)
        .bind("key", request.key())
        .bind("acquisition", acquisition)
        .bind("holder", holder)
        .bind("ttl", SqlValues.micros(request.ttl()))
        .bind("once", request.once())
        .map((row, context) -> new Result.Granted(row.getLong(1), row.getInt(2)))
        .findOne();
  }

  @Override
  public Set<Long> renew(List<Renewal> renewals) {
    return database.run(
        "renew %d leases".formatted(renewals.size()),
        handle ->
            new HashSet<>(
                handle
                    .createQuery(renew)
                    .bindArray("keys", String.class, column(renewals, r -> r.claim().key()))
                    .bindArray("tokens", Long.class, column(renewals, r -> r.claim().token()))
                    .bindArray("ttls", Long.class, column(renewals, r -> SqlValues.micros(r.ttl())))
                    .bindArray("mayShorten", Boolean.class, column(renewals, Renewal::mayShorten))
                    .map((row, context) -> row.getLong(1))
                    .list()));
  }

  private static <T> List<T> column(List<Renewal> renewals, Function<Renewal, T> value) {
    return renewals.stream().map(value).toList();
  }

  @Override
  public boolean end(LeaseClaim claim, Ending how) {
    String state =
        switch (how) {
          case Ending.Done done -> LeaseState.DONE.name();
          case Ending.Failed failed -> LeaseState.FAILED.name();
        };
    String detail =
        switch (how) {
          case Ending.Done done -> null;
          case Ending.Failed failed -> failed.detail();
        };
    return database.run(
        "end lease %s".formatted(claim.key()),
        handle ->
            handle
                        .createUpdate(end)
                        .bind("key", claim.key())
                        .bind("token", claim.token())
                        .bind("state", state)
                        .bind("detail", detail)
                        .execute()
                    > 0
                || handle
                    .createQuery(endedSo)
                    .bind("key", claim.key())
                    .bind("token", claim.token())
                    .bind("state", state)
                    .map((row, context) -> row.getBoolean(1))
                    .one());
  }

  @Override
  public boolean reopen(String key) {
    return database.run(
        "reopen lease %s".formatted(key),
        handle -> handle.createUpdate(reopen).bind("key", key).execute() > 0);
  }

  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return database.run(
        "reclaim expired leases",
        handle -> {
          handle.createUpdate(adoptOverdue).execute();
          return handle
              .createQuery(reclaim)
              .bind("limit", limit)
              .map((row, context) -> info(row))
              .list();
        });
  }

  @Override
  public Optional<LeaseInfo> find(String key) {
    return database.run("look for lease %s".formatted(key), handle -> find(handle, key));
  }

  private Optional<LeaseInfo> find(Handle handle, String key) {
    return handle.createQuery(find).bind("key", key).map((row, context) -> info(row)).findOne();
  }

  @Override
  public List<LeaseInfo> list(@Nullable LeaseState state, @Nullable String after, int limit) {
    return database.run(
        "list leases",
        handle ->
            handle
                .createQuery(list)
                .bind("state", state == null ? null : state.name())
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> info(row))
                .list());
  }

  private static LeaseInfo info(ResultSet row) throws SQLException {
    return new LeaseSnapshot(
        row.getString(1),
        LeaseState.valueOf(row.getString(2)),
        row.getString(3),
        row.getLong(4),
        row.getInt(5),
        SqlValues.instant(row, 6),
        SqlValues.ofMicros(row.getLong(7)),
        SqlValues.instantOrNull(row, 8),
        row.getString(9));
  }
}
