/**
 * The node of a server: one registration, heartbeat and sweep for all tenants, and a node of the
 * engine in each tenant that currently has work.
 *
 * <p>The invariant: a tenant with live work has a hint that is due no later than that work, or a
 * process with an active hold, which looks once more or leaves hints before the hold ends. A
 * process that dies leaves its holds, and the process that releases them leaves hints.
 */
@NullMarked
package dev.holdfast.server.node;

import org.jspecify.annotations.NullMarked;
