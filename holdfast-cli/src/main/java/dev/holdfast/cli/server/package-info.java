/** The commands that run the server and show its configuration. */
@NullMarked
package dev.holdfast.cli.server;

import org.jspecify.annotations.NullMarked;
