/**
 * The {@code holdfast} command.
 *
 * <p>{@link dev.holdfast.cli.Main} assembles the subcommands, which are in the packages below.
 * Commands print only to picocli's writers, so that tests can read their output. The exit codes, 0
 * to 7, are those of {@link dev.holdfast.cli.connect.ExitCode}. A failure is one sentence on
 * standard error; {@code --verbose} adds the stack trace.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
