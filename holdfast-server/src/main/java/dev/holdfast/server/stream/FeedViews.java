package dev.holdfast.server.stream;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.server.tenant.OpenTenant;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How feeds write what they send, as JSON in one line.
 *
 * @param jobs a snapshot of the queues of a tenant
 * @param nodes a snapshot of the nodes of a tenant, which does not name the nodes
 * @param allNodes a snapshot of the nodes of the installation
 */
public record FeedViews(
    Function<RunEvent, String> event,
    Function<OpenTenant, String> jobs,
    Function<OpenTenant, String> nodes,
    Supplier<String> allNodes) {}
