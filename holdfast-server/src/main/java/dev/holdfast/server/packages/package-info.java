/**
 * The packages of tenants: how they are verified and stored.
 *
 * <p>Invariant: nothing is stored that has not passed every check, and no code of a package runs in
 * the process of the server unless the operator trusts packages.
 */
@NullMarked
package dev.holdfast.server.packages;

import org.jspecify.annotations.NullMarked;
