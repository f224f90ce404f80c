/**
 * How commands show what they found: a {@link dev.holdfast.cli.print.Table} for people, {@link
 * dev.holdfast.cli.print.Json} for programs; and {@link dev.holdfast.cli.print.Closest} for words
 * that are not known.
 */
@NullMarked
package dev.holdfast.cli.print;

import org.jspecify.annotations.NullMarked;
