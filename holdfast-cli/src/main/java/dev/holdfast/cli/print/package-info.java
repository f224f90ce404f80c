/**
 * How commands show what they found: a {@link dev.holdfast.cli.print.Table} for people, {@link
 * dev.holdfast.cli.print.Json} for programs. Nothing here knows what a job is.
 */
@NullMarked
package dev.holdfast.cli.print;

import org.jspecify.annotations.NullMarked;
