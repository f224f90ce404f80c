/**
 * Output of the commands: {@link dev.holdfast.cli.print.Table} for the terminal, {@link
 * dev.holdfast.cli.print.Json} for scripts, and {@link dev.holdfast.cli.print.Closest} for
 * suggestions when a word is unknown.
 */
@NullMarked
package dev.holdfast.cli.print;

import org.jspecify.annotations.NullMarked;
