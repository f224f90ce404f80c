/**
 * Benchmarks of the server over HTTP. The only package outside of the server that knows its web
 * framework, in order to compare the server with the framework alone.
 */
@NullMarked
package dev.holdfast.bench.http;

import org.jspecify.annotations.NullMarked;
