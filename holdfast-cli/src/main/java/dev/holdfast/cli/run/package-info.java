/**
 * The command {@code run}: starts, lists, shows, watches and controls runs of workflows. Each
 * subcommand is a small class that uses a {@link dev.holdfast.cli.connect.Session} of the REST API;
 * {@link dev.holdfast.cli.run.RunWatch} follows a run until it ends.
 */
@NullMarked
package dev.holdfast.cli.run;

import org.jspecify.annotations.NullMarked;
