package dev.holdfast.engine.event;

import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.meter.RoleSpans;

/**
 * What a node reports about its work: metrics, spans of its roles, and lifecycle events. Nothing
 * here ever throws into a role.
 */
public record Telemetry(Meters meters, RoleSpans spans, LifecycleEvents events) {}
