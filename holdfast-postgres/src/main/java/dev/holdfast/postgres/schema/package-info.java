/**
 * The tables: brought to the version this program needs, and the daily partitions of history.
 *
 * <p>Nothing is written to a database that is too old, or whose tables were made by a newer
 * program. Any number of nodes may start at once.
 */
@NullMarked
package dev.holdfast.postgres.schema;

import org.jspecify.annotations.NullMarked;
