package dev.holdfast.engine.recover;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.engine.codec.PolicyText;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.finish.Endings;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.recover.Rulings.Counsel;
import dev.holdfast.engine.recover.Rulings.Loss;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.store.NodeBook;
import dev.holdfast.engine.store.NodeBook.Death;
import dev.holdfast.engine.store.NodeBook.Pulse;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.Recovery.Answer;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.Ruling;
import dev.holdfast.engine.store.Recovery.Scope;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.engine.wake.Signal;
import dev.holdfast.engine.wake.SignalBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds nodes that are gone, and takes back what they held. */
public final class Sweeper implements Role {
  private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
  private static final int BATCH = 1_000;
  private static final int MOST_BATCHES = 100;

  private final Parts parts;
  private final Silences silences;

  /**
   * What a sweeper works with.
   *
   * @param interval how often it looks
   * @param spared whom it never finds silent
   * @param scope what it takes back
   */
  public record Parts(
      NodeBook nodes,
      Recovery recovery,
      TaskRegistry tasks,
      SignalBus bus,
      Meters meters,
      LifecycleEvents events,
      Endings endings,
      Ticker ticker,
      RandomGenerator random,
      Duration interval,
      Predicate<UUID> spared,
      Scope scope) {}

  /** Somebody whose jobs are to be taken back. */
  private record Lost(Holder holder, Loss loss) {}

  public Sweeper(Parts parts) {
    this.parts = parts;
    this.silences = new Silences(parts.interval().multipliedBy(2).plusSeconds(1));
  }

  @Override
  public String name() {
    return "sweeper";
  }

  @Override
  public Moment tick(Moment now) {
    Moment asked = parts.ticker().now();
    try {
      List<Pulse> pulses = parts.nodes().look();
      sweep(pulses, silences.look(asked, parts.ticker().now(), pulses));
    } catch (StoreException failure) {
      silences.interrupt();
      log.warn(
          "A sweep failed and is tried again in {}: {}", parts.interval(), failure.getMessage());
    }
    return now.plus(parts.interval());
  }

  private void sweep(List<Pulse> pulses, Map<UUID, Duration> silent) {
    List<Lost> lost = new ArrayList<>();
    for (Pulse pulse : pulses) {
      Duration silence = silent.getOrDefault(pulse.incarnation(), Duration.ZERO);
      attempt(pulse.id(), () -> judge(pulse, silence).ifPresent(lost::add));
    }
    // In another order on each node, so that several do not go for the same jobs.
    Collections.shuffle(lost, Random.from(parts.random()));
    for (Lost one : lost) {
      attempt(one.loss.id(), () -> takeBack(one, pulses));
    }
  }

  /** Do something about one node; where that fails, the others are not to wait for it. */
  private void attempt(String node, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException failure) {
      log.warn(
          "The sweep of node {} failed and is tried again in {}", node, parts.interval(), failure);
    }
  }

  private Optional<Lost> judge(Pulse pulse, Duration silence) {
    UUID incarnation = pulse.incarnation();
    if (pulse.death() != null) {
      return Optional.of(
          new Lost(Holder.dead(incarnation), new Loss(pulse.id(), pulse.death(), pulse.diedFor())));
    }
    if (parts.spared().test(incarnation)) {
      return Optional.empty();
    }
    Loss loss = new Loss(pulse.id(), Death.SILENCE, silence);
    if (silence.compareTo(pulse.terms().running()) >= 0) {
      if (!parts.nodes().markDead(incarnation, pulse.beat(), silence)) {
        return Optional.empty(); // It has beaten since, or somebody else was faster.
      }
      parts.meters().nodeDied();
      parts.events().nodeDied(pulse.id(), incarnation);
      parts.bus().publish(new Signal.SchedulesChanged()); // Perhaps nobody else declared one.
      log.warn(
          "Node {} ({}) is dead: it has been silent for {} ms, longer than its terms of {}",
          pulse.id(),
          incarnation,
          silence.toMillis(),
          pulse.terms().running());
      return Optional.of(new Lost(Holder.dead(incarnation), loss));
    }
    return silence.compareTo(pulse.terms().claimed()) >= 0
        ? Optional.of(new Lost(Holder.silent(incarnation, pulse.beat()), loss))
        : Optional.empty();
  }

  private void takeBack(Lost lost, List<Pulse> pulses) {
    if (lost.holder.silentAt() == null && lost.loss.death() == Death.SILENCE) {
      endSessions(lost);
    }
    Tally tally = new Tally(parts.bus(), parts.meters(), parts.endings());
    try {
      takeBack(lost, pulses, tally);
    } finally {
      tally.announce(lost.loss);
    }
  }

  private void takeBack(Lost lost, List<Pulse> pulses, Tally tally) {
    List<Orphan> orphans = parts.recovery().orphans(lost.holder, parts.scope(), BATCH);
    for (int batch = 1; !orphans.isEmpty(); batch++) {
      takeBack(lost, orphans, pulses, tally);
      // Behind those, whatever became of them: what is left to others would come up again.
      Orphan last = orphans.get(orphans.size() - 1);
      orphans =
          orphans.size() < BATCH || batch == MOST_BATCHES
              ? List.of()
              : parts.recovery().orphans(lost.holder, parts.scope(), last, BATCH);
    }
  }

  private void takeBack(Lost lost, List<Orphan> orphans, List<Pulse> pulses, Tally tally) {
    List<Orphan> ruled = new ArrayList<>();
    List<Ruling> rulings = new ArrayList<>();
    for (Orphan orphan : orphans) {
      rule(orphan, lost.loss, pulses)
          .ifPresent(ruling -> {
            ruled.add(orphan);
            rulings.add(ruling);
          });
    }
    List<Answer> answers = recover(lost.holder, rulings);
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) != Answer.NOT_HELD) {
        Orphan orphan = ruled.get(i);
        parts.events().recovered(orphan, lost.holder.incarnation());
        tally.add(orphan, rulings.get(i), answers.get(i));
      }
    }
  }

  /** Write rulings, halving them where the store refuses them, until the one at fault is alone. */
  private List<Answer> recover(Holder holder, List<Ruling> rulings) {
    try {
      return parts.recovery().recover(holder, rulings);
    } catch (StoreException failure) {
      if (failure.outcome() != StoreException.Outcome.REFUSED) {
        throw failure;
      }
      if (rulings.size() == 1) {
        log.error(
            "The store refused what was to become of job {}; it stays held, and is tried again at"
                + " the next sweep",
            rulings.get(0).held().id(),
            failure);
        return List.of(Answer.NOT_HELD);
      }
      int half = rulings.size() / 2;
      List<Answer> answers = new ArrayList<>(recover(holder, rulings.subList(0, half)));
      answers.addAll(recover(holder, rulings.subList(half, rulings.size())));
      return answers;
    }
  }

  private Optional<Ruling> rule(Orphan orphan, Loss loss, List<Pulse> pulses) {
    Optional<RecoveryPolicy> own =
        parts.tasks().find(orphan.task()).flatMap(TaskRegistry.Registered::recovery);
    boolean others =
        pulses.stream()
            .anyMatch(pulse ->
                pulse.death() == null
                    && pulse.modes().node() != NodeMode.DISABLED
                    && pulse.advice().covers(orphan.task(), orphan.stack()));
    try {
      return Rulings.rule(
          orphan,
          loss,
          PolicyText.readAnyhow(orphan.policy(), orphan.id()).crashOrDefault(),
          new Counsel(own, others));
    } catch (Throwable thrown) {
      log.error(
          "The recovery policy of {} failed for job {}; it is asked again at the next sweep",
          orphan.task(),
          orphan.id(),
          thrown);
      return Optional.empty();
    }
  }

  /**
   * Without the right to do so, or when it fails, what nobody has locked is taken back all the
   * same.
   */
  private void endSessions(Lost lost) {
    int ended;
    try {
      ended = parts.recovery().endSessions(lost.holder.incarnation());
    } catch (RuntimeException failure) {
      log.warn(
          "The database sessions of node {} could not be ended; jobs that they lock stay held until"
              + " the database ends them: {}",
          lost.loss.id(),
          failure.getMessage());
      return;
    }
    if (ended > 0) {
      log.warn(
          "{} database sessions of node {} were ended: it is dead, and they held locks",
          ended,
          lost.loss.id());
    }
  }
}
