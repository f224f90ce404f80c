/** The log of a server: plain text or JSON, and levels that can change while it runs. */
@NullMarked
package dev.holdfast.server.log;

import org.jspecify.annotations.NullMarked;
