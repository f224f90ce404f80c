package dev.holdfast.engine.schedule;

import dev.holdfast.engine.store.ScheduleStore.Declaration;
import dev.holdfast.engine.store.ScheduleStore.Declared;
import dev.holdfast.engine.store.ScheduleStore.Survey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Decides what follows from declarations: pure functions. */
final class DeclarationDiff {

  private DeclarationDiff() {}

  /**
   * Returns the schedules for which the declaration of this node is the newest of all live nodes.
   *
   * @param mine what this node declares: fingerprints by id
   * @param live what live nodes of the application declare, this one included
   */
  static Set<String> ruledBy(Map<String, String> mine, List<Declaration> live) {
    Map<String, Declaration> newest = new HashMap<>();
    for (Declaration declaration : live) {
      newest.merge(
          declaration.scheduleId(),
          declaration,
          (one, other) -> one.generation() >= other.generation() ? one : other);
    }
    Set<String> ruled = new TreeSet<>();
    mine.forEach((id, fingerprint) -> {
      Declaration latest = newest.get(id);
      if (latest != null && latest.fingerprint().equals(fingerprint)) {
        ruled.add(id);
      }
    });
    return ruled;
  }

  /** Returns whether an application has schedules that no live node declares. */
  static boolean leavesOver(String application, Survey survey) {
    Set<String> declared =
        survey.live().stream().map(Declaration::scheduleId).collect(Collectors.toSet());
    return survey.kept().entrySet().stream()
        .anyMatch(entry -> {
          Declared owner = entry.getValue().declared();
          return owner != null
              && owner.application().equals(application)
              && !declared.contains(entry.getKey());
        });
  }
}
