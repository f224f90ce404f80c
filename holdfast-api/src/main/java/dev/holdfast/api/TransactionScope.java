package dev.holdfast.api;

import dev.holdfast.api.trigger.Publisher;
import dev.holdfast.api.workflow.Starter;

/**
 * Enqueues jobs and publishes events inside your own transaction: they take effect if and when it
 * commits. Returned by {@link Holdfast#in(java.sql.Connection)}.
 */
public interface TransactionScope extends Enqueuer, Publisher, Starter {}
