package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.Evidence.Effect;
import dev.holdfast.bench.chaos.Evidence.Ended;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** Compares the effects of tasks with the stored state. */
final class Checker {
  private final Map<UUID, List<Ended>> ends = new HashMap<>();
  private final Map<UUID, SortedMap<Long, Attempt>> attempts = new HashMap<>();
  private final List<String> sentences = new ArrayList<>();
  private int lost;
  private int endedTwice;
  private int failed;
  private int outOfOrder;
  private int staleAccepted;

  /** The effects under one fencing token. */
  private static final class Attempt {
    private final String process;
    private long first;
    private long latest;
    private boolean complete;
    private boolean shared;

    Attempt(Effect effect) {
      this.process = effect.process();
      this.first = effect.nanos();
      this.latest = effect.nanos();
    }

    Attempt and(Effect effect) {
      first = Math.min(first, effect.nanos());
      latest = Math.max(latest, effect.nanos());
      complete |= effect.last();
      shared |= !effect.process().equals(process);
      return this;
    }
  }

  private Checker(Evidence evidence) {
    for (Ended end : evidence.ended()) {
      ends.computeIfAbsent(end.job(), fresh -> new ArrayList<>()).add(end);
    }
    for (Effect effect : evidence.effects()) {
      attempts
          .computeIfAbsent(effect.job(), fresh -> new TreeMap<>())
          .computeIfAbsent(effect.token(), fresh -> new Attempt(effect))
          .and(effect);
    }
  }

  static Findings check(Evidence evidence) {
    Checker checker = new Checker(evidence);
    evidence.acknowledged().forEach(job -> checker.ended(job, evidence.live().contains(job)));
    checker.ends.forEach(checker::once);
    checker.attempts.forEach(checker::inOrder);
    checker.ends.forEach((job, rows) -> rows.forEach(checker::byItsLastHolder));
    return Findings.ofJobs(
        checker.lost,
        checker.endedTwice,
        checker.failed,
        checker.outOfOrder,
        checker.staleAccepted,
        List.copyOf(checker.sentences));
  }

  private void ended(UUID job, boolean live) {
    if (!ends.containsKey(job)) {
      lost++;
      sentences.add("Job %s %s.".formatted(job, live ? "has not ended" : "is not stored"));
    } else if (live) {
      endedTwice++;
      sentences.add("Job %s has ended and is still live.".formatted(job));
    }
  }

  private void once(UUID job, List<Ended> rows) {
    if (rows.size() > 1) {
      endedTwice++;
      sentences.add("Job %s has ended %d times: %s.".formatted(job, rows.size(), rows));
    }
    if (rows.stream().anyMatch(row -> row.state().equals(Evidence.FAILED))) {
      failed++;
      sentences.add("Job %s is dead-lettered.".formatted(job));
    }
  }

  private void inOrder(UUID job, SortedMap<Long, Attempt> byToken) {
    long latest = Long.MIN_VALUE;
    long latestToken = 0;
    for (Map.Entry<Long, Attempt> entry : byToken.entrySet()) {
      Attempt attempt = entry.getValue();
      if (attempt.shared) {
        outOfOrder++;
        sentences.add(
            "Job %s was run by two processes under token %d.".formatted(job, entry.getKey()));
      }
      if (attempt.first <= latest) {
        outOfOrder++;
        sentences.add(
            "Job %s: token %d still had effects %d us after token %d had started (%s)."
                .formatted(
                    job,
                    latestToken,
                    (latest - attempt.first) / 1000,
                    entry.getKey(),
                    attempt.process));
      }
      if (attempt.latest > latest) {
        latest = attempt.latest;
        latestToken = entry.getKey();
      }
    }
  }

  private void byItsLastHolder(Ended end) {
    SortedMap<Long, Attempt> byToken = attempts.getOrDefault(end.job(), new TreeMap<>());
    if (!byToken.isEmpty() && byToken.lastKey() > end.token()) {
      staleAccepted++;
      sentences.add(
          "Job %s was ended by token %d, but the newer token %d has effects."
              .formatted(end.job(), end.token(), byToken.lastKey()));
    }
    if (end.state().equals("SUCCEEDED")) {
      Attempt attempt = byToken.get(end.token());
      if (attempt == null || !attempt.complete) {
        staleAccepted++;
        sentences.add(
            "Job %s succeeded with token %d, which had not completed all effects."
                .formatted(end.job(), end.token()));
      }
    }
  }
}
