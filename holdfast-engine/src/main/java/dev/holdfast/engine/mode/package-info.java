/**
 * What a node does with work: all, all but running it, or nothing.
 *
 * <p>The mode is a row in the database that anyone may change; the node learns of it at its next
 * beat. Hot paths read it here, without cost.
 */
@NullMarked
package dev.holdfast.engine.mode;

import org.jspecify.annotations.NullMarked;
