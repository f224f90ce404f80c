/**
 * What happens to jobs and nodes, told to code of the user's own.
 *
 * <p>Events are news, not records: they are told by the process they happen in, after the database
 * has confirmed them, and are dropped when listeners cannot keep up. What must be known for certain
 * is asked of {@link dev.holdfast.api.Holdfast}.
 */
@NullMarked
package dev.holdfast.api.event;

import org.jspecify.annotations.NullMarked;
