/**
 * Benchmarks of packages: how soon their jobs start, how soon a new package runs, and what versions
 * leave behind. Uses {@code bench.sample}, the code of the packages that are pushed.
 */
@NullMarked
package dev.holdfast.bench.packages;

import org.jspecify.annotations.NullMarked;
