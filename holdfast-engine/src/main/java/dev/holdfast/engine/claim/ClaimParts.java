package dev.holdfast.engine.claim;

import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.rule.QueueRules;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.run.Unreadable;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.time.Ticker;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The components that all claimers and starters of a node share. */
public record ClaimParts(
    Claims claims,
    CurrentIncarnation identity,
    ClaimCalls calls,
    QueueRules rules,
    TaskRules taskRules,
    CurrentModes modes,
    Set<String> stacks,
    TaskRegistry tasks,
    HeldJobs heldJobs,
    Runner runner,
    Unreadable unreadable,
    FinishSink sink,
    Meters meters,
    RoleSpans spans,
    LifecycleEvents events,
    Ticker ticker,
    RandomGenerator random) {}
