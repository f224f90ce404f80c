/**
 * What a role is and what drives it.
 *
 * <p>A role is a step function: {@code tick(now)} does one bounded piece of work and says when it
 * wants to be called next. A thread drives it in production, an event queue in simulation. A role
 * holds no thread, sleeps never and asks no clock. {@link dev.holdfast.engine.role.Surroundings} is
 * what a node is handed instead.
 */
@NullMarked
package dev.holdfast.engine.role;

import org.jspecify.annotations.NullMarked;
