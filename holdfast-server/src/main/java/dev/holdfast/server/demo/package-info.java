/** Sample workflows and a trickle of work, so that a new installation has something to see. */
@NullMarked
package dev.holdfast.server.demo;

import org.jspecify.annotations.NullMarked;
