package dev.holdfast.engine;

import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.role.Waker;
import java.util.ArrayList;
import java.util.List;

/** The claimers of a node, and how to tell them that there may be work. */
final class Claimers {
  private final List<Driven> all = new ArrayList<>();

  private record Driven(Claimer claimer, Waker driver) {
    void expectWork() {
      claimer.expectWork();
      driver.wake();
    }
  }

  void add(Claimer claimer, Waker driver) {
    all.add(new Driven(claimer, driver));
  }

  List<Claimer> all() {
    return all.stream().map(Driven::claimer).toList();
  }

  void expectWork() {
    all.forEach(Driven::expectWork);
  }

  void expectWork(String queue) {
    for (Driven driven : all) {
      if (driven.claimer.lane().queue().equals(queue)) {
        driven.expectWork();
      }
    }
  }
}
