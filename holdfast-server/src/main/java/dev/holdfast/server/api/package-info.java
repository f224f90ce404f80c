/**
 * The REST API: one class of handlers for each resource. Their shapes are declared in {@code
 * openapi.yaml}.
 */
@NullMarked
package dev.holdfast.server.api;

import org.jspecify.annotations.NullMarked;
