/**
 * {@link dev.holdfast.junit.HoldfastExtension} gives each test of a class its own store, client and
 * node, in memory or on an embedded PostgreSQL. It uses the testkit, the PostgreSQL store and the
 * embedded server. Invariant: tests share no store; on PostgreSQL they share only the server.
 */
@NullMarked
package dev.holdfast.junit;

import org.jspecify.annotations.NullMarked;
