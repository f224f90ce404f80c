package dev.holdfast.postgres.notify;

import java.util.UUID;

/**
 * The notification channel that all processes of one schema share.
 *
 * @param name the channel name in LISTEN and NOTIFY
 */
public record Channel(String name) {

  /**
   * Sends several payloads in one statement; equal payloads are delivered once. Sends nothing, and
   * returns no row, if the notification queue of the server is half full: a session that listens
   * but does not read keeps the queue from shrinking, and once it is full every commit with a
   * NOTIFY fails, including those of callers. Nodes find their work by polling in that case.
   */
  public static final String NOTIFY =
      """
      select pg_notify(?, payload) from unnest(?::text[]) payload
      where (select pg_notification_queue_usage()) < 0.5
      """;

  /**
   * Sends payloads in a separate transaction that does not wait for the disk. The notification is
   * delivered sooner, the lock that every NOTIFY takes is held for a shorter time, and a lost
   * notification does no harm.
   */
  static final String NOTIFY_AT_ONCE =
      """
      select pg_notify(?, payload), set_config('synchronous_commit', 'off', true)
      from unnest(?::text[]) payload
      where (select pg_notification_queue_usage()) < 0.5
      """;

  /**
   * The sender of signals that every process must receive, including the process that sent them.
   */
  public static final String NOBODY = "-";

  /** Returns the channel of a schema, whose name has been checked. */
  public static Channel of(String schema) {
    return new Channel("holdfast_" + schema);
  }

  /** Returns a name by which a process recognises its own signals when it receives them. */
  static String sender() {
    return UUID.randomUUID().toString().substring(24);
  }

  /** Returns the statement that starts listening. */
  String listen() {
    return "listen " + name;
  }
}
