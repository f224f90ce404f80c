/**
 * Traces of the server: their configuration, the spans of requests, and the export to a collector
 * with OTLP over HTTP. Invariant: a collector that is slow or gone affects no request and no job.
 */
@NullMarked
package dev.holdfast.server.trace;

import org.jspecify.annotations.NullMarked;
