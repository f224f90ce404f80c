/**
 * The benchmarks, {@code holdfast bench}. They run only from a checkout. {@code bench peers}
 * compares Holdfast with other schedulers; {@code bench chaos}, in package {@code chaos}, injects
 * faults into a running cluster; {@code bench ha}, in package {@code ha}, kills its database.
 *
 * <p>The command finds this module through {@link java.util.ServiceLoader}, so no published
 * artifact depends on it or on the libraries it compares with. Package {@code peers} configures
 * every peer as its documentation recommends, on the same server and in the same run.
 */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
