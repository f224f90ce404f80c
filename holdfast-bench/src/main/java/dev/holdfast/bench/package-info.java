/**
 * What only a checkout can run: Holdfast beside other schedulers, as {@code holdfast bench peers},
 * and a cluster that is broken on purpose, as {@code holdfast bench chaos} in {@code chaos}.
 *
 * <p>The command finds this module through {@link java.util.ServiceLoader}, so nothing that is
 * published depends on it or on the libraries it compares with. Every peer is set up in {@code
 * peers} as its own documentation says, on the same server and in the same run.
 */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
