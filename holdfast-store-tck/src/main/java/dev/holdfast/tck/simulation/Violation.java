package dev.holdfast.tck.simulation;

import java.time.Duration;

/**
 * A violated invariant.
 *
 * @param at when it happened, in virtual time
 * @param what a description
 */
public record Violation(Invariant invariant, Duration at, String what) {}
