/**
 * The schedulers for Node.js that Holdfast is compared with: their pinned packages, installed with
 * npm into the cache folder, and the processes that run them. Their scripts are resources of this
 * package.
 *
 * <p>Uses the harness. Invariant: if Node.js or the packages are missing, the reason is reported
 * and nothing is measured.
 */
@NullMarked
package dev.holdfast.bench.node;

import org.jspecify.annotations.NullMarked;
