package dev.holdfast.api.workflow;

import org.jspecify.annotations.Nullable;

/**
 * How a child run ended, as its parent sees it.
 *
 * @param run the id of the child run
 * @param workflow the name of its workflow
 * @param state how it ended
 * @param result its result, as maps, lists, strings, numbers and booleans; null for none
 * @param reason why it failed or was cancelled; null if it succeeded
 */
public record RunSummary(
    String run,
    String workflow,
    RunState state,
    @Nullable Object result,
    @Nullable String reason) {}
