/** The adapter to Javalin, the only package that knows it. */
@NullMarked
package dev.holdfast.server.javalin;

import org.jspecify.annotations.NullMarked;
