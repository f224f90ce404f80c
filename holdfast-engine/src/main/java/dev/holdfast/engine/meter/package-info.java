/**
 * The Micrometer meters of a node, and the OpenTelemetry spans of its background roles. Nothing
 * else in the engine knows meter names.
 */
@NullMarked
package dev.holdfast.engine.meter;

import org.jspecify.annotations.NullMarked;
