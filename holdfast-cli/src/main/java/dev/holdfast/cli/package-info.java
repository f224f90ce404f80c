/**
 * The {@code holdfast} command: what to run, and how it answers.
 *
 * <p>{@link dev.holdfast.cli.Main} puts the subcommands together; each lives in a package of its
 * own. Everything a command prints goes through picocli's writers, so that tests can read it. Exit
 * codes: 0 for done, 1 for failed, 2 for wrong use. A failure is one sentence on standard error;
 * the stack trace is shown only when asked for by {@code --verbose}.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
