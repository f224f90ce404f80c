/**
 * Assertions about the jobs that a program has enqueued. They need no assertion library; {@code
 * assertThat} can be imported next to the one of AssertJ.
 */
@NullMarked
package dev.holdfast.testkit.assertion;

import org.jspecify.annotations.NullMarked;
