package dev.holdfast.postgres.db;

/**
 * How long a transaction waits for locks that others hold. A unique key may belong to a transaction
 * of another session that stays open for long: to wait for it as long as a statement may take, and
 * again with each repeat, would look like a hang.
 *
 * <p>The setting is local to the transaction and travels inside its first statement, which saves a
 * round trip. It takes effect before the first row is written.
 *
 * @param first goes in front of the statement
 * @param join makes the statement evaluate it
 */
public record LockPatience(String first, String join) {
  public static final int SECONDS = 5;

  /** For transactions of ours. */
  public static final LockPatience BOUNDED =
      new LockPatience(
          "with patience as materialized (select set_config('lock_timeout', '%ds', true))\n"
              .formatted(SECONDS),
          "cross join patience");

  /** For transactions of callers, in which it would outlive our statements. */
  public static final LockPatience OF_CALLER = new LockPatience("", "");

  /** Put it where a statement has room for it. */
  public String in(String template) {
    return template.replace("${patience}", first).replace("${patiently}", join);
  }
}
