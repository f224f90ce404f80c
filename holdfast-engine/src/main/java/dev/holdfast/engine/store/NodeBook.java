package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Which nodes there are, and that they live. */
public interface NodeBook {

  /**
   * A node as it introduces itself.
   *
   * @param incarnation new at every start
   * @param id what people call it
   * @param terms how long it may be silent before others may take over
   * @param queues the queues it serves
   * @param tasks the tasks it has handlers for
   * @param capacity how many jobs it runs at once
   */
  record NodeCard(
      UUID incarnation,
      String id,
      String host,
      long pid,
      String version,
      Duration terms,
      Set<String> queues,
      Set<String> tasks,
      int capacity) {}

  /** A claim as the database has it. */
  record ClaimRow(Held held, long claimNo, boolean started, boolean cancelRequested) {}

  /**
   * The answer to a beat.
   *
   * @param claims what the incarnation holds by the calls that were asked about
   * @param rules the rules of queues
   */
  record BeatReply(List<ClaimRow> claims, Map<String, QueueBook.Rule> rules) {}

  /** A node as people look at it. */
  record NodeStatus(NodeCard card, boolean alive, long beat, Duration silence, int running) {}

  /** Make a node known. */
  void register(NodeCard card);

  /**
   * Say that an incarnation lives: one row is written, however many jobs it holds.
   *
   * @param running how many jobs it runs
   * @param fromCall the first claim call to report claims of. A node names the oldest that it still
   *     holds anything by or does not know the answer to, so that a store need not look past what
   *     is long done to find what is held.
   * @return what it holds; empty if it is not alive in the books, and so must stop
   */
  Optional<BeatReply> beat(UUID incarnation, int running, long fromCall);

  /** Say that an incarnation lives, and ask about everything it holds. */
  default Optional<BeatReply> beat(UUID incarnation, int running) {
    return beat(incarnation, running, 0);
  }

  /** Mark an incarnation dead, by its own hand. */
  void leave(UUID incarnation);

  /** All nodes that are alive or died lately. */
  List<NodeStatus> list();

  /** The incarnation that holds a job, if any. */
  Optional<UUID> holderOf(JobId id);
}
