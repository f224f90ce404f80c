/**
 * What all benchmarks share: databases, child processes, repeated rounds, measures with their bars,
 * and the report.
 */
@NullMarked
package dev.holdfast.bench.harness;

import org.jspecify.annotations.NullMarked;
