package dev.holdfast.testkit.memory;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Stores nodes and their heartbeats. */
final class MemoryNodeStore implements NodeStore {
  private final Tables tables;

  MemoryNodeStore(Tables tables) {
    this.tables = tables;
  }

  @Override
  public void register(NodeRegistration registration, Modes modes, @Nullable UUID before) {
    tables.transaction(now -> {
      if (before != null) {
        change(before, row -> row.die(Death.SELF_DECLARED, Duration.ZERO, now));
      }
      NodeRow known = tables.nodes.get(registration.incarnation());
      if (known == null) {
        NodeRow old = before == null ? null : tables.nodes.get(before);
        if (before != null) {
          inheritDeclarations(registration.incarnation(), before);
        }
        return tables.nodes.put(
            registration.incarnation(),
            new NodeRow(registration, old == null ? modes : old.modes, now));
      }
      known.registration = registration;
      if (known.alive) {
        known.beat++;
        known.lastSeen = now;
      }
      return known;
    });
  }

  private void inheritDeclarations(UUID incarnation, UUID before) {
    tables.declarations.addAll(
        tables.declarations.stream()
            .filter(note -> note.incarnation().equals(before))
            .map(note -> new Tables.Note(incarnation, note.application(), note.declaration()))
            .toList());
  }

  @Override
  public Optional<HeartbeatReply> beat(Heartbeat beat) {
    return tables.transaction(now -> {
      NodeRow row = tables.nodes.get(beat.incarnation());
      if (row == null || !row.alive) {
        return Optional.empty();
      }
      row.beat++;
      row.lastSeen = now;
      row.running = beat.running();
      row.lost = beat.lost();
      row.fromCall = beat.fromCall();
      if (beat.kept().isPositive()) {
        NodeRegistration registration = row.registration;
        tables.heartbeats.add(
            new Tables.KeptHeartbeat(
                new PastHeartbeat(
                    registration.id(),
                    registration.incarnation(),
                    registration.roles(),
                    registration.host(),
                    registration.pid(),
                    now),
                now.plus(beat.kept())));
      }
      return Optional.of(
          new HeartbeatReply(
              claimsOf(beat.incarnation(), beat.fromCall()),
              Map.copyOf(tables.rules),
              MemoryTaskStore.rules(tables, now),
              row.modes,
              row.fenceRequested));
    });
  }

  private List<ClaimRow> claimsOf(UUID incarnation, long fromCall) {
    return tables.live.values().stream()
        .filter(row -> incarnation.equals(row.holder) && row.claimNo >= fromCall)
        .map(row ->
            new ClaimRow(
                new ClaimId(row.id, row.token),
                row.claimNo,
                row.state == JobState.RUNNING,
                row.cancelRequested,
                row.releaseRequested,
                row.isSuspect()))
        .toList();
  }

  @Override
  public List<ClaimRow> claims(UUID incarnation) {
    return tables.transaction(now -> claimsOf(incarnation, 0));
  }

  @Override
  public Look look(UUID watcher, int reach, boolean dead) {
    return tables.transaction(now -> new Look(watched(watcher, reach), dead ? dead() : List.of()));
  }

  private List<Pulse> watched(UUID watcher, int reach) {
    List<NodeRow> circle =
        tables.nodes.values().stream()
            .filter(row -> row.alive && !row.registration.incarnation().equals(watcher))
            .sorted(Comparator.comparing(row -> place(row.registration.incarnation())))
            .toList();
    int first = 0;
    while (first < circle.size()
        && place(circle.get(first).registration.incarnation()).compareTo(place(watcher)) < 0) {
      first++;
    }
    List<Pulse> watched = new ArrayList<>();
    int enabled = 0;
    for (int i = 0; i < circle.size() && enabled < reach; i++) {
      NodeRow row = circle.get((first + i) % circle.size());
      watched.add(pulse(row));
      enabled += row.modes.node() == NodeMode.DISABLED ? 0 : 1;
    }
    return watched;
  }

  /** Returns the position of an incarnation in the ring: the random part of its id. */
  private static String place(UUID incarnation) {
    return incarnation.toString().substring(24);
  }

  private List<Dead> dead() {
    return tables.nodes.values().stream()
        .filter(row -> row.death != null && holdsAny(row))
        .map(row ->
            new Dead(
                row.registration.incarnation(),
                row.registration.id(),
                Objects.requireNonNull(row.death),
                row.diedFor))
        .toList();
  }

  @Override
  public boolean isAdvised(String task, @Nullable String stack) {
    return tables.transaction(now ->
        tables.nodes.values().stream()
            .anyMatch(row ->
                row.alive
                    && row.modes.node() != NodeMode.DISABLED
                    && row.registration.advice().covers(task, stack)));
  }

  private boolean holdsAny(NodeRow node) {
    return tables.live.values().stream()
        .anyMatch(row ->
            node.registration.incarnation().equals(row.holder) && row.claimNo >= node.fromCall);
  }

  private Pulse pulse(NodeRow row) {
    return new Pulse(
        row.registration.incarnation(),
        row.registration.id(),
        row.registration.timeouts(),
        row.beat,
        holdsAny(row));
  }

  @Override
  public boolean markDead(UUID incarnation, long beat, Duration silence) {
    return tables.transaction(now -> {
      NodeRow row = tables.nodes.get(incarnation);
      return row != null
          && row.beat == beat
          && change(incarnation, node -> node.die(Death.SILENCE, silence, now));
    });
  }

  @Override
  public void leave(UUID incarnation) {
    tables.transaction(
        now -> change(incarnation, row -> row.die(Death.SELF_DECLARED, Duration.ZERO, now)));
  }

  @Override
  public boolean requestFence(UUID incarnation) {
    return tables.transaction(now -> change(incarnation, row -> row.fenceRequested = true));
  }

  @Override
  public boolean setModes(UUID incarnation, Modes seen, Modes modes) {
    return tables.transaction(now -> {
      NodeRow row = tables.nodes.get(incarnation);
      return row != null
          && row.modes.equals(seen)
          && change(incarnation, node -> node.modes = modes);
    });
  }

  /** Changes the row of a live node, and returns whether there was one. */
  private boolean change(UUID incarnation, Consumer<NodeRow> change) {
    NodeRow row = tables.nodes.get(incarnation);
    if (row == null || !row.alive) {
      return false;
    }
    change.accept(row);
    return true;
  }

  @Override
  public List<PastHeartbeat> pastBeats(String id, int limit) {
    return tables.transaction(now ->
        tables.heartbeats.reversed().stream()
            .map(Tables.KeptHeartbeat::beat)
            .filter(beat -> beat.node().equals(id))
            .limit(limit)
            .toList());
  }

  @Override
  public List<NodeSnapshot> list() {
    return tables.transaction(
        now -> tables.nodes.values().stream().map(row -> row.toStatus(now)).toList());
  }

  @Override
  public Optional<UUID> holderOf(JobId id) {
    return tables.transaction(
        now -> Optional.ofNullable(tables.live.get(id)).map(row -> row.holder));
  }
}
