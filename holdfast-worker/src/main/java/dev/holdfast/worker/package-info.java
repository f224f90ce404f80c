/**
 * Remote workers in Java: {@link dev.holdfast.worker.RemoteWorker} runs the handlers of an embedded
 * node against a server. It is the node of the engine, with its heartbeat, fencing and timeouts, on
 * a store that speaks the protocol of remote workers. What a worker cannot do over that protocol,
 * such as staging or recovery, the servers do.
 */
@NullMarked
package dev.holdfast.worker;

import org.jspecify.annotations.NullMarked;
