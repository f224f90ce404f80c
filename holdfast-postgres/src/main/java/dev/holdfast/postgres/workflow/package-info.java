/**
 * Workflows: definitions, runs, and what moves runs forward.
 *
 * <p>This package stores runs and carries out plans; it never reads a graph. Locks are always taken
 * in the same order: the gate, then runs in the order of ids, then jobs. A run locks downwards
 * only: a child run that ends leaves a mark for its parent.
 *
 * <p>Invariant: an outcome and its mark are written in one transaction, and a mark is deleted only
 * in the transaction that has applied it. So nothing that happens to a run is missed.
 */
@NullMarked
package dev.holdfast.postgres.workflow;

import org.jspecify.annotations.NullMarked;
