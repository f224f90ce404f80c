/**
 * The process in which a server runs the packages of one tenant. {@link
 * dev.holdfast.packages.child.ChildJvm} starts it and tells it which versions to load; {@link
 * dev.holdfast.packages.child.ChildMain} is its program, a remote worker for each version.
 *
 * <p>Invariant: what the process gets is its class path, its own folder, and a key of its tenant on
 * its standard input. No setting, secret or variable of the server reaches it.
 */
@NullMarked
package dev.holdfast.packages.child;

import org.jspecify.annotations.NullMarked;
