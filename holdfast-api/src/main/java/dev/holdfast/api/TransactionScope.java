package dev.holdfast.api;

import dev.holdfast.api.trigger.Publisher;

/** What can be done inside a transaction of the caller's own. */
public interface TransactionScope extends Enqueuer, Publisher {}
