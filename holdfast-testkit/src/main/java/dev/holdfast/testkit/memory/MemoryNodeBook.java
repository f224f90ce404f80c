package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.NodeBook;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Which nodes there are, and that they live. */
final class MemoryNodeBook implements NodeBook {
  private final Tables tables;

  MemoryNodeBook(Tables tables) {
    this.tables = tables;
  }

  /** Registering once more changes the card and nothing else: the dead stay dead. */
  @Override
  public void register(NodeCard card) {
    tables.transaction(now -> {
      NodeRow row =
          tables.nodes.computeIfAbsent(card.incarnation(), incarnation -> new NodeRow(card, now));
      row.card = card;
      return row;
    });
  }

  @Override
  public Optional<BeatReply> beat(UUID incarnation, int running, long fromCall) {
    return tables.transaction(now -> {
      NodeRow row = tables.nodes.get(incarnation);
      if (row == null || !row.alive) {
        return Optional.empty();
      }
      row.beat++;
      row.lastSeen = now;
      row.running = running;
      return Optional.of(new BeatReply(claimsOf(incarnation, fromCall), Map.copyOf(tables.rules)));
    });
  }

  private List<ClaimRow> claimsOf(UUID incarnation, long fromCall) {
    return tables.live.values().stream()
        .filter(row -> incarnation.equals(row.holder) && row.claimNo >= fromCall)
        .map(row ->
            new ClaimRow(
                new Held(row.id, row.token),
                row.claimNo,
                row.state == JobState.RUNNING,
                row.cancelRequested))
        .toList();
  }

  @Override
  public void leave(UUID incarnation) {
    tables.transaction(now -> {
      NodeRow row = tables.nodes.get(incarnation);
      if (row != null && row.alive) {
        row.alive = false;
        row.lastSeen = now;
      }
      return Optional.ofNullable(row);
    });
  }

  @Override
  public List<NodeStatus> list() {
    return tables.transaction(
        now -> tables.nodes.values().stream().map(row -> row.toStatus(now)).toList());
  }

  @Override
  public Optional<UUID> holderOf(JobId id) {
    return tables.transaction(
        now -> Optional.ofNullable(tables.live.get(id)).map(row -> row.holder));
  }
}
