/**
 * The text that is stored with a job: its payload and result as JSON, and the part of its policy
 * that differs from its task's.
 */
@NullMarked
package dev.holdfast.engine.codec;

import org.jspecify.annotations.NullMarked;
