/**
 * The command {@code run}: starts, lists, shows, watches and controls runs of workflows. Each
 * subcommand is a small class that uses the public client; {@link dev.holdfast.cli.run.RunWatch}
 * follows a run until it ends.
 */
@NullMarked
package dev.holdfast.cli.run;

import org.jspecify.annotations.NullMarked;
