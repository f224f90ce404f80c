/**
 * What is done to a schema that was restored from a backup, before any node uses it.
 *
 * <p>A fencing token consists of an epoch (high bits) and a number (low bits). Within an epoch the
 * tables remember which numbers were issued. A restored table does not know what was issued after
 * the backup, so a restore starts a new epoch, above all tokens of the one before. The invariant:
 * no job of the new epoch has a token below it, which a constraint of the table checks.
 */
@NullMarked
package dev.holdfast.postgres.restore;

import org.jspecify.annotations.NullMarked;
