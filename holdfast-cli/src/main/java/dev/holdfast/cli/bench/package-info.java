/**
 * {@code holdfast bench}: how fast Holdfast is on a database, and whether that is fast enough.
 *
 * <p>Each bench is a {@link dev.holdfast.cli.bench.BenchCommand}; more are found through {@link
 * java.util.ServiceLoader}. A bench compares Holdfast, through its public interfaces, with
 * something bare, in the same run on the same server: both sides warm up once, then take turns, and
 * what counts is the median of the ratios. Nothing is tuned, vacuumed or cached for one side and
 * not for the other. On a user's database everything happens in schemas named {@code
 * holdfast_bench_...} that are dropped at the end.
 */
@NullMarked
package dev.holdfast.cli.bench;

import org.jspecify.annotations.NullMarked;
