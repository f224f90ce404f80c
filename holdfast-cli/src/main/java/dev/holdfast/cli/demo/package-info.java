/**
 * A node with a handful of tasks, and somebody who keeps asking for work: to see jobs flow before
 * writing any code.
 *
 * <p>It uses the public interfaces only and is meant to be read as an example. Ctrl-C ends it as a
 * program of one's own should end: claim no more, let running jobs finish, say goodbye.
 */
@NullMarked
package dev.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
