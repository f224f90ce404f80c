package dev.holdfast.engine.node;

import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.claim.IdlePoll;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The claimers of a node, and how to notify them of possible work. */
final class Claimers {
  private final IdlePoll idlePoll;
  private final List<Claimer> all = new ArrayList<>();
  private final Map<String, List<Claimer>> byQueue = new HashMap<>();

  Claimers(IdlePoll idlePoll) {
    this.idlePoll = idlePoll;
  }

  void add(Claimer claimer) {
    all.add(claimer);
    byQueue.computeIfAbsent(claimer.lane().queue(), fresh -> new ArrayList<>()).add(claimer);
  }

  List<Claimer> all() {
    return List.copyOf(all);
  }

  /**
   * Notes that there may be work in any queue. One statement checks the queues of all idle
   * claimers; each of the other claimers claims.
   */
  void expectWork() {
    all.stream().filter(claimer -> !idlePoll.covers(claimer)).forEach(Claimer::expectWork);
    idlePoll.expectWork();
  }

  void expectWork(String queue) {
    byQueue.getOrDefault(queue, List.of()).forEach(Claimer::expectWork);
  }
}
