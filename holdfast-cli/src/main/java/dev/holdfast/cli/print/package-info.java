/**
 * Output of the commands: {@link dev.holdfast.cli.print.Table} and {@link
 * dev.holdfast.cli.print.Fields} for the terminal, {@link dev.holdfast.cli.print.Json} for scripts,
 * {@link dev.holdfast.cli.print.DurationText} and {@link dev.holdfast.cli.print.ConditionText} for
 * values in words, and {@link dev.holdfast.cli.print.Closest} for suggestions when a word is
 * unknown. Uses only the API and Jackson.
 */
@NullMarked
package dev.holdfast.cli.print;

import org.jspecify.annotations.NullMarked;
