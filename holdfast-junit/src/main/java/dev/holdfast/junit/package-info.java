/**
 * {@link dev.holdfast.junit.HoldfastExtension} gives each test of a class its own store, client and
 * node, in memory or on an embedded PostgreSQL.
 */
@NullMarked
package dev.holdfast.junit;

import org.jspecify.annotations.NullMarked;
