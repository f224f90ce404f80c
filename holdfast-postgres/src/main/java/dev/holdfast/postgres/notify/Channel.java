package dev.holdfast.postgres.notify;

import java.util.UUID;

/**
 * The channel that all processes of one schema share.
 *
 * @param name as LISTEN and NOTIFY know it
 */
public record Channel(String name) {

  /**
   * Sends several payloads in one statement; equal ones within it are delivered once. Sends
   * nothing, and returns no row, when the server's queue of notifications is half full: a session
   * that listens and does not read keeps it from shrinking, and once it is full every commit that
   * sends fails, that of a caller included. Nodes find their work by polling then.
   */
  public static final String NOTIFY =
      """
      select pg_notify(?, payload) from unnest(?::text[]) payload
      where (select pg_notification_queue_usage()) < 0.5
      """;

  /**
   * The same as a transaction of its own, which does not wait for the disk: others hear of it
   * sooner, the lock that every NOTIFY takes is held for less, and there is nothing to lose.
   */
  static final String NOTIFY_AT_ONCE =
      """
      select pg_notify(?, payload), set_config('synchronous_commit', 'off', true)
      from unnest(?::text[]) payload
      where (select pg_notification_queue_usage()) < 0.5
      """;

  /** The sender of what every process should hear, the one that sent it included. */
  public static final String NOBODY = "-";

  /** The channel of a schema, whose name has been checked. */
  public static Channel of(String schema) {
    return new Channel("holdfast_" + schema);
  }

  /** A name by which a process knows its own signals when they come back. */
  static String sender() {
    return UUID.randomUUID().toString().substring(24);
  }

  /** The statement that begins to listen. */
  String listen() {
    return "listen " + name;
  }
}
