/**
 * What a command talks to: a server over HTTP, or a database directly. {@link
 * dev.holdfast.cli.connect.Target} chooses, {@link dev.holdfast.cli.connect.Session} is what
 * commands use.
 *
 * <p>The seam is {@link dev.holdfast.cli.connect.Api}: a request of the REST API, answered by a
 * server, or by the same handlers in this process. Commands are written once, against the API.
 *
 * <p>A key of a profile is sent only to the URL of that profile.
 */
@NullMarked
package dev.holdfast.cli.connect;

import org.jspecify.annotations.NullMarked;
