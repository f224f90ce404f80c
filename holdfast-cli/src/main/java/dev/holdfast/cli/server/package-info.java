/**
 * The commands that run the server, show its configuration, and back up and restore its database.
 */
@NullMarked
package dev.holdfast.cli.server;

import org.jspecify.annotations.NullMarked;
