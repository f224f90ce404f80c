package dev.holdfast.api.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue as people look at it.
 *
 * @param name its name
 * @param paused whether nodes leave it alone for now
 * @param limit how many of its jobs may be held in the whole cluster; null for no limit
 * @param ready how many jobs wait
 * @param held how many jobs nodes hold
 * @param scheduled how many jobs are not due yet
 * @param oldestReady how long the longest-waiting ready job has waited; zero where none waits
 */
public record QueueStatus(
    String name,
    boolean paused,
    @Nullable Integer limit,
    long ready,
    long held,
    long scheduled,
    Duration oldestReady) {}
