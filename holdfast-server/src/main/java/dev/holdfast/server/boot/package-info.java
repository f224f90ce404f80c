/** Starts and stops the server as a whole. The only package that knows all others. */
@NullMarked
package dev.holdfast.server.boot;

import org.jspecify.annotations.NullMarked;
