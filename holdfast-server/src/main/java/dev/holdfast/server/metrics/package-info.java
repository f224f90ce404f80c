/** The metrics of the server in the text format of Prometheus. */
@NullMarked
package dev.holdfast.server.metrics;

import org.jspecify.annotations.NullMarked;
