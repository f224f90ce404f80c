package dev.holdfast.tck.simulation;

import java.time.Duration;

/**
 * A promise that was broken.
 *
 * @param at when, in virtual time
 * @param what how, in words
 */
public record Violation(Invariant invariant, Duration at, String what) {}
