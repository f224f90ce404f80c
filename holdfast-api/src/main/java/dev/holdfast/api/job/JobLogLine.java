package dev.holdfast.api.job;

import java.time.Instant;

/**
 * A line that the handler of a job logged.
 *
 * @param at when, by the clock of the node
 * @param attempt in which attempt, from 1
 * @param text the line
 */
public record JobLogLine(Instant at, int attempt, String text) {}
