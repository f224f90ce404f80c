/**
 * The {@code holdfast} command.
 *
 * <p>{@link dev.holdfast.cli.Main} assembles the subcommands, which are in the packages below.
 * Commands print only to picocli's writers, so that tests can read their output. Exit codes: 0 for
 * success, 1 for failure, 2 for wrong use. A failure is one sentence on standard error; {@code
 * --verbose} adds the stack trace.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
