/**
 * Workflows: graphs of steps that run as jobs.
 *
 * <p>A {@link dev.holdfast.api.workflow.Workflow} is a value. It is built with a {@link
 * dev.holdfast.api.workflow.Flow}, which reports all problems of the graph together. A run is one
 * execution of a workflow; it pins the graph that it was started with. {@link
 * dev.holdfast.api.Runs} starts, finds and controls runs.
 *
 * <p>This package may use the other packages of the API. A workflow that exists is valid: it has no
 * cycle, and each of its steps can be reached.
 */
@NullMarked
package dev.holdfast.api.workflow;

import org.jspecify.annotations.NullMarked;
