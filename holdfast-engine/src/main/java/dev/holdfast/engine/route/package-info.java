/**
 * Which executor inside a node runs a task: ordered rules over task names, first match wins.
 *
 * <p>Pure values, no threads.
 */
@NullMarked
package dev.holdfast.engine.route;

import org.jspecify.annotations.NullMarked;
