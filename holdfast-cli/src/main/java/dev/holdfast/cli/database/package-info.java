/**
 * Which database a command works on: one that its user names, or an embedded one in the user's own
 * data folder.
 *
 * <p>A command that only looks makes neither tables nor a data folder; an embedded server that does
 * not run is started for as long as the command takes.
 */
@NullMarked
package dev.holdfast.cli.database;

import org.jspecify.annotations.NullMarked;
