/** Node rows, heartbeats and the recovery of jobs whose holder is dead. */
@NullMarked
package dev.holdfast.postgres.liveness;

import org.jspecify.annotations.NullMarked;
