/**
 * The parts that all benchmarks share: databases, child processes, rounds, measures with their bars
 * (the values that they should reach), and the report.
 *
 * <p>Uses the command's {@code database} and {@code print} packages and the public API. Invariant:
 * a round counts only if all its jobs were finished.
 */
@NullMarked
package dev.holdfast.bench.harness;

import org.jspecify.annotations.NullMarked;
