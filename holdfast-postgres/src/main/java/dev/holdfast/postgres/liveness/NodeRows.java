package dev.holdfast.postgres.liveness;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.Dead;
import dev.holdfast.engine.store.NodeStore.Death;
import dev.holdfast.engine.store.NodeStore.HeartbeatReply;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.LostLane;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.store.QueueStore.Rule;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.rule.PgTaskStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the rows that the statements about nodes return. */
public final class NodeRows {
  private NodeRows() {}

  public static Pulse pulse(ResultSet row) throws SQLException {
    return new Pulse(
        row.getObject(1, UUID.class),
        row.getString(2),
        new Timeouts(SqlValues.ofMicros(row.getLong(3)), SqlValues.ofMicros(row.getLong(4))),
        row.getLong(5),
        row.getBoolean(6));
  }

  public static Dead dead(ResultSet row) throws SQLException {
    return new Dead(
        row.getObject(1, UUID.class),
        row.getString(2),
        Death.valueOf(row.getString(7)),
        SqlValues.ofMicros(row.getLong(8)));
  }

  static ClaimRow claim(ResultSet row) throws SQLException {
    return new ClaimRow(
        new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2)),
        row.getLong(3),
        row.getBoolean(4),
        row.getBoolean(5),
        row.getBoolean(6),
        row.getBoolean(7));
  }

  public static NodeSnapshot status(ResultSet row) throws SQLException {
    return new NodeSnapshot(
        new NodeRegistration(
            row.getObject(1, UUID.class),
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getLong(5),
            row.getString(6),
            new Timeouts(SqlValues.ofMicros(row.getLong(7)), SqlValues.ofMicros(row.getLong(8))),
            SqlValues.strings(row, 9),
            SqlValues.strings(row, 10),
            row.getInt(11),
            row.getString(12),
            SqlValues.strings(row, 23),
            SqlValues.strings(row, 13),
            advice(row, 21),
            row.getInt(26)),
        row.getBoolean(14),
        row.getLong(15),
        SqlValues.instant(row, 16),
        SqlValues.ofMicros(Math.max(0, row.getLong(17))),
        row.getInt(18),
        modes(row.getString(19), SqlValues.strings(row, 20)),
        new Lost(row.getInt(24), lostLanes(SqlValues.strings(row, 25))));
  }

  /**
   * Returns each lane as its queue, its number of lost slots, its number of slots, and its tasks.
   * No name contains a space.
   */
  static List<String> texts(Lost lost) {
    return lost.lanes().stream()
        .map(lane ->
            "%s %d %d %s"
                .formatted(lane.queue(), lane.lost(), lane.slots(), String.join(" ", lane.tasks())))
        .toList();
  }

  public static List<LostLane> lostLanes(Set<String> texts) {
    return texts.stream()
        .map(text -> text.split(" "))
        .map(parts ->
            new LostLane(
                parts[0],
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                List.of(parts).subList(3, parts.length)))
        .toList();
  }

  /** Reads the advice from two consecutive columns. */
  private static Advice advice(ResultSet row, int column) throws SQLException {
    boolean sweepsAll = row.getArray(column + 1) == null;
    return new Advice(
        SqlValues.strings(row, column), sweepsAll ? null : SqlValues.strings(row, column + 1));
  }

  public static List<String> texts(Modes modes) {
    return modes.overrides().entrySet().stream()
        .map(exception -> exception.getKey() + "=" + exception.getValue().name())
        .toList();
  }

  public static Modes modes(String mode, Set<String> exceptions) {
    return new Modes(
        NodeMode.valueOf(mode),
        exceptions.stream()
            .map(text -> text.split("=", 2))
            .collect(Collectors.toMap(parts -> parts[0], parts -> NodeMode.valueOf(parts[1]))));
  }

  /** The rows that a heartbeat returns, sorted by kind. */
  static final class Reply {
    private @Nullable Modes modes;
    private boolean dismissed;
    private final List<ClaimRow> claims = new ArrayList<>();
    private final Map<String, Rule> rules = new HashMap<>();
    private final Map<String, TaskStore.Rule> tasks = new HashMap<>();

    String read(ResultSet row) throws SQLException {
      String kind = row.getString(1);
      switch (kind) {
        case "CLAIM" ->
            claims.add(
                new ClaimRow(
                    new ClaimId(new JobId(row.getObject(2, UUID.class)), row.getLong(3)),
                    row.getLong(4),
                    row.getBoolean(5),
                    row.getBoolean(6),
                    row.getBoolean(10),
                    row.getString(7) != null));
        case "RULE" ->
            rules.put(
                row.getString(7), new Rule(row.getBoolean(5), row.getObject(8, Integer.class)));
        case "TASK" ->
            tasks.put(
                row.getString(7),
                new TaskStore.Rule(row.getObject(8, Integer.class), PgTaskStore.shut(row, 3)));
        default -> {
          modes = modes(row.getString(7), SqlValues.strings(row, 9));
          dismissed = row.getBoolean(5);
        }
      }
      return kind;
    }

    Optional<HeartbeatReply> toReply() {
      return Optional.ofNullable(modes)
          .map(known -> new HeartbeatReply(claims, rules, tasks, known, dismissed));
    }
  }
}
