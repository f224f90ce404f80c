/**
 * The text that is stored with a job: its payload and result as JSON, and the part of its policy
 * that differs from its task's; and what several packages need to hash JSON and to evaluate
 * conditions on it.
 */
@NullMarked
package dev.holdfast.engine.codec;

import org.jspecify.annotations.NullMarked;
