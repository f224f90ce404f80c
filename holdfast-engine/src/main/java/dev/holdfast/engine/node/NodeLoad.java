package dev.holdfast.engine.node;

import java.time.Duration;

/**
 * How busy a node is, and how far it is from fencing itself.
 *
 * @param running how many attempts run
 * @param capacity how many it runs at the same time at most
 * @param heartbeatMargin how long the node may still act without another successful heartbeat; zero
 *     if it may not
 */
public record NodeLoad(int running, int capacity, Duration heartbeatMargin) {}
