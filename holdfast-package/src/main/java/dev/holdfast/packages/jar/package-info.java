/**
 * The jar of a package: {@link dev.holdfast.packages.jar.PackageWriter} builds it, {@link
 * dev.holdfast.packages.jar.PackageCheck} reads and checks it.
 *
 * <p>Invariant: nothing here loads a class of the jar or writes one of its entries to a file, and a
 * check uses a bounded amount of memory and time, whatever the file contains.
 */
@NullMarked
package dev.holdfast.packages.jar;

import org.jspecify.annotations.NullMarked;
