/**
 * Output of the commands: {@link dev.holdfast.cli.print.Table}, {@link
 * dev.holdfast.cli.print.Listing} (a table of JSON objects), {@link dev.holdfast.cli.print.Fields}
 * and {@link dev.holdfast.cli.print.Bar} for the terminal, {@link dev.holdfast.cli.print.Json} for
 * scripts, {@link dev.holdfast.cli.print.Value}, {@link dev.holdfast.cli.print.DurationText} and
 * {@link dev.holdfast.cli.print.ConditionText} for values in words, and {@link
 * dev.holdfast.cli.print.Closest} for suggestions when a word is unknown. {@link
 * dev.holdfast.cli.print.DurationConverter} reads durations. Uses only the API, Jackson and
 * picocli.
 *
 * <p>Invariant: text from outside passes {@link dev.holdfast.cli.print.Printable} before it is
 * printed, so that it cannot control the terminal.
 */
@NullMarked
package dev.holdfast.cli.print;

import org.jspecify.annotations.NullMarked;
