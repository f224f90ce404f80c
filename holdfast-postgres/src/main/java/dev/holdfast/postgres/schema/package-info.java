/**
 * The tables: their migration to the version that this program needs, and the daily partitions of
 * history.
 *
 * <p>Nothing is written to a database that is too old, or whose tables were created by a newer
 * program. Any number of nodes may start at the same time.
 */
@NullMarked
package dev.holdfast.postgres.schema;

import org.jspecify.annotations.NullMarked;
