/** Benchmarks of a server with many tenants. */
@NullMarked
package dev.holdfast.bench.tenants;

import org.jspecify.annotations.NullMarked;
