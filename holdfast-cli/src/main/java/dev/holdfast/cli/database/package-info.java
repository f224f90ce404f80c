/**
 * Selects the database that a command works on: the one given by the user, or an embedded one in
 * the user's data folder.
 *
 * <p>Only the demo creates tables or a data folder. An embedded server that is not running is
 * started for the duration of the command.
 */
@NullMarked
package dev.holdfast.cli.database;

import org.jspecify.annotations.NullMarked;
