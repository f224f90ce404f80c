/** Statements for running jobs: the journals of their durable steps, and the signals they await. */
@NullMarked
package dev.holdfast.postgres.run;

import org.jspecify.annotations.NullMarked;
