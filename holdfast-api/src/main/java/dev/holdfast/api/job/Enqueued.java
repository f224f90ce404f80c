package dev.holdfast.api.job;

/**
 * The answer to an enqueue.
 *
 * @param id the job that now stands for the request
 * @param created whether this enqueue made it; false when its unique key or its id was known
 *     already
 * @param resultType what the job's task returns
 */
public record Enqueued<R>(JobId id, boolean created, Class<R> resultType) {}
