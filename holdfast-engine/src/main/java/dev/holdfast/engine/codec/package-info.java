/**
 * The text that rows carry: payloads and results as JSON, and the policy of a job that differs from
 * its task's.
 */
@NullMarked
package dev.holdfast.engine.codec;

import org.jspecify.annotations.NullMarked;
