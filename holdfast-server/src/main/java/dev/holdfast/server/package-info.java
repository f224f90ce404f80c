/**
 * The multi-tenant server.
 *
 * <p>{@link dev.holdfast.server.TaskModule} is how tasks and workflows on the class path become
 * part of a server.
 */
@NullMarked
package dev.holdfast.server;

import org.jspecify.annotations.NullMarked;
