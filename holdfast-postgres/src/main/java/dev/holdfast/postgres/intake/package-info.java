/**
 * Enqueue statements, with and without unique keys, on our own connections and in external
 * transactions.
 */
@NullMarked
package dev.holdfast.postgres.intake;

import org.jspecify.annotations.NullMarked;
