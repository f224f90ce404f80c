/**
 * Access to the database: connections, timeouts, transactions, and the meaning of its errors.
 *
 * <p>Every statement of this module runs through {@link dev.holdfast.postgres.db.Database}, so that
 * each has a timeout and each failure becomes a {@link dev.holdfast.api.StoreException} that says
 * what is known of its outcome. Nothing here knows what a job is.
 */
@NullMarked
package dev.holdfast.postgres.db;

import org.jspecify.annotations.NullMarked;
