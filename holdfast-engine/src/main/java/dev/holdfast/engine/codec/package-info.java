/**
 * The text that is stored with a job: its payload and result as JSON, the part of its policy that
 * differs from that of its task, and the notes of its handler (progress and log lines); and what
 * several packages need to hash JSON and to evaluate conditions on it.
 *
 * <p>Uses only the API, Jackson and slf4j. Invariant: every text can be stored unchanged; a payload
 * that cannot is rejected before anything is written.
 */
@NullMarked
package dev.holdfast.engine.codec;

import org.jspecify.annotations.NullMarked;
