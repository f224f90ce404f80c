/**
 * Roles and what drives them.
 *
 * <p>A role is a step function: {@code tick(now)} does one bounded piece of work and returns when
 * to call it next. A thread drives it in production, an event queue in simulation. A role has no
 * thread, never sleeps and reads no clock: a node receives all of these from its {@link
 * dev.holdfast.engine.role.Environment}.
 */
@NullMarked
package dev.holdfast.engine.role;

import org.jspecify.annotations.NullMarked;
