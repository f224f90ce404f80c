/**
 * The multi-tenant server. Its tasks and workflows are {@link dev.holdfast.api.run.TaskModule
 * modules} on the class path.
 */
@NullMarked
package dev.holdfast.server;

import org.jspecify.annotations.NullMarked;
