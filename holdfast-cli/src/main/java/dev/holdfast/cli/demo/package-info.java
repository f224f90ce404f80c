/**
 * The demo: a node with a few tasks and a producer that keeps enqueuing jobs, to try Holdfast
 * before writing any code.
 *
 * <p>It uses what an application uses (the API, a node of the engine, a store and an embedded
 * PostgreSQL), and can be read as an example. Ctrl-C stops it as an application should stop: claim
 * no more jobs, let running jobs finish, deregister the node.
 */
@NullMarked
package dev.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
