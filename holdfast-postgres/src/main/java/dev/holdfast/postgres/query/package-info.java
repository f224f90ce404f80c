/** Reading and controlling jobs: find, list, count, why a job waits, cancel, retry, requeue. */
@NullMarked
package dev.holdfast.postgres.query;

import org.jspecify.annotations.NullMarked;
