/**
 * Feeds for clients that watch runs, jobs and nodes: one feed per server and tenant, however many
 * clients watch.
 */
@NullMarked
package dev.holdfast.server.stream;

import org.jspecify.annotations.NullMarked;
