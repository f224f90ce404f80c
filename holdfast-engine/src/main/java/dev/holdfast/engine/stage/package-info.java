/**
 * What happens by the clock: jobs whose time has come become ready, those whose time has passed
 * expire, old books are thrown away, and depths are measured.
 */
@NullMarked
package dev.holdfast.engine.stage;

import org.jspecify.annotations.NullMarked;
