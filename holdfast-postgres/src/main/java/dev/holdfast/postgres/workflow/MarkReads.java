package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.workflow.MarkScan.Place;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Finds runs that have marks. */
final class MarkReads {
  // By run_mark_written, from where marks may be, and run_pkey. A queued run gets another mark when
  // it starts. There is a row without a mark if there are none, for the numbers of transactions.
  private static final String MARKED =
      """
      select pg_snapshot_xmin(s.now)::text, pg_snapshot_xmax(s.now)::text, m.written::text, m.run_id
      from (select pg_current_snapshot() as now) s
      left join lateral (
        select k.written, k.run_id
        from ${schema}.run_mark k
        where (k.written, k.run_id) > (:written::text::xid8, :run::uuid)
          and not exists (
            select from ${schema}.run r where r.id = k.run_id and r.state = 'QUEUED')
        order by k.written, k.run_id
        limit :limit
      ) m on true
      order by m.written, m.run_id
      """;

  /**
   * A mark, or that there is none.
   *
   * @param oldestOpen all transactions below this number have ended
   * @param next no transaction with this number or a higher one has ended
   * @param place null if there is no mark
   */
  private record Row(long oldestOpen, long next, @Nullable Place place) {
    static Row read(ResultSet row) throws SQLException {
      UUID run = row.getObject(4, UUID.class);
      return new Row(
          row.getLong(1), row.getLong(2), run == null ? null : new Place(row.getLong(3), run));
    }
  }

  private final Database database;
  private final LongSupplier nanoTime;
  private final MarkScan scan = new MarkScan();
  private final String marked;

  /**
   * @param nanoTime the monotonic clock
   */
  MarkReads(Database database, LongSupplier nanoTime) {
    this.database = database;
    this.nanoTime = nanoTime;
    this.marked = database.sql(MARKED);
  }

  /** Returns runs with marks, at most the given number. */
  List<RunId> find(int limit) {
    return database.run("look for runs with marks", handle -> find(handle, limit));
  }

  private List<RunId> find(Handle handle, int limit) {
    Set<RunId> found = new LinkedHashSet<>();
    Place from = scan.next(nanoTime.getAsLong());
    boolean isRest = !from.run().equals(Place.BEGINNING.run());
    read(handle, from, limit, found, !isRest);
    if (isRest && found.size() < limit) {
      read(handle, scan.again(), limit, found, true);
    }
    return List.copyOf(found);
  }

  /** Reads marks until enough runs are found; a run may have any number of marks. */
  private void read(Handle handle, Place from, int limit, Set<RunId> found, boolean fromStart) {
    long began = nanoTime.getAsLong();
    List<Row> first = page(handle, from, limit);
    List<Row> page = first;
    Place last = null;
    while (found.size() < limit && page.getFirst().place != null) {
      for (Row row : page) {
        if (found.size() < limit && row.place != null) {
          found.add(new RunId(row.place.run()));
          last = row.place;
        }
      }
      if (page.size() < limit || last == null) {
        break;
      }
      page = page(handle, last, limit);
    }
    if (fromStart) {
      Row seen = first.getFirst();
      scan.saw(
          seen.oldestOpen,
          seen.next,
          seen.place == null ? null : Long.valueOf(seen.place.written()),
          began,
          nanoTime.getAsLong());
    }
    if (found.size() >= limit && last != null) {
      scan.stopped(last);
    }
  }

  private List<Row> page(Handle handle, Place after, int limit) {
    return handle
        .createQuery(marked)
        .bind("written", Long.toString(after.written()))
        .bind("run", after.run())
        .bind("limit", limit)
        .map((row, context) -> Row.read(row))
        .list();
  }
}
