/**
 * Which database a command works on: one that its user names, or an embedded one in the user's own
 * data folder.
 *
 * <p>A command that only looks never makes tables, and never starts a server that was not there.
 */
@NullMarked
package dev.holdfast.cli.database;

import org.jspecify.annotations.NullMarked;
