package dev.holdfast.postgres.db;

/**
 * How long a transaction waits for locks that other transactions hold. A unique key may belong to a
 * transaction that stays open for a long time. Waiting for it as long as the statement timeout, and
 * again on each retry, would look like a hang.
 *
 * <p>The setting is local to the transaction and is part of its first statement, which saves a
 * round trip. It takes effect before the first row is written.
 *
 * @param first the text in front of the statement
 * @param join the join that makes the statement evaluate it
 */
public record LockPatience(String first, String join) {
  public static final int SECONDS = 5;

  /** For our own transactions. */
  public static final LockPatience BOUNDED =
      new LockPatience(
          "with patience as materialized (select set_config('lock_timeout', '%ds', true))\n"
              .formatted(SECONDS),
          "cross join patience");

  /** For external transactions, in which the setting would outlive our statements. */
  public static final LockPatience OF_CALLER = new LockPatience("", "");

  /** Inserts the setting into a statement template. */
  public String in(String template) {
    return template.replace("${patience}", first).replace("${patiently}", join);
  }
}
