/**
 * The Micrometer meters of a node, and the OpenTelemetry spans of its background roles. No other
 * package of the engine knows the names of meters. Invariant: a registry, tracer or exporter that
 * throws never affects a caller.
 */
@NullMarked
package dev.holdfast.engine.meter;

import org.jspecify.annotations.NullMarked;
