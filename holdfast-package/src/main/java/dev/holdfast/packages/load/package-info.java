/**
 * Code of packages in separate processes. {@link dev.holdfast.packages.load.DryLoad} loads a
 * package once, to learn what it contains; {@link dev.holdfast.packages.load.Sandbox} says what
 * such a process may do.
 *
 * <p>Invariant: code of a package never runs in the process that checks it.
 */
@NullMarked
package dev.holdfast.packages.load;

import org.jspecify.annotations.NullMarked;
