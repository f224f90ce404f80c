/**
 * Support for tests of programs that use Holdfast: {@link dev.holdfast.testkit.memory} contains a
 * store in memory and a manual clock, {@link dev.holdfast.testkit.lease} contains scripted leases.
 */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
