/**
 * The parts that all benchmarks share: databases, child processes, rounds, measures with their
 * bars, and the report.
 */
@NullMarked
package dev.holdfast.bench.harness;

import org.jspecify.annotations.NullMarked;
