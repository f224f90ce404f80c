package dev.holdfast.engine;

import dev.holdfast.engine.store.QueueBook;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Catches misspelt queues: a job for a queue that nobody serves would wait for ever. Answers are
 * kept for a minute, so that an enqueue costs no look-up.
 */
final class DeclaredQueues {
  private static final Logger log = LoggerFactory.getLogger(DeclaredQueues.class);
  private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int MOST_NAMES = 1_000;

  private record Answer(boolean declared, long at) {}

  private final QueueBook queues;
  private final ClientSettings settings;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();

  DeclaredQueues(QueueBook queues, ClientSettings settings) {
    this.queues = queues;
    this.settings = settings;
  }

  /** Warn of queues that nobody serves, and refuse none. */
  static DeclaredQueues lenient(QueueBook queues) {
    return new DeclaredQueues(queues, ClientSettings.DEFAULT);
  }

  void check(String queue) {
    Answer answer = answers.get(queue);
    if (answer == null || System.nanoTime() - answer.at() > FRESH_NANOS) {
      answer = look(queue);
    }
    if (!answer.declared() && settings.strictQueues()) {
      answers.remove(queue); // Its node may start any moment.
      throw new IllegalArgumentException(
          "No live node serves queue '%s': check the name, or start a node that serves it."
              .formatted(queue));
    }
  }

  private Answer look(String queue) {
    Answer answer = new Answer(queues.isDeclared(queue), System.nanoTime());
    if (answers.size() >= MOST_NAMES) {
      answers.clear();
    }
    answers.put(queue, answer);
    if (!answer.declared() && !settings.strictQueues()) {
      log.warn("No live node serves queue '{}' yet; its jobs wait until one does", queue);
    }
    return answer;
  }
}
