/**
 * Rules of queues and tasks: pause, cluster-wide limits, circuit breakers, and the counts they
 * need.
 */
@NullMarked
package dev.holdfast.postgres.rule;

import org.jspecify.annotations.NullMarked;
