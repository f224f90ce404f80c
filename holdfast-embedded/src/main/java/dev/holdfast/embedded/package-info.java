/**
 * An embedded PostgreSQL server, started from binaries in Maven artifacts: {@code
 * EmbeddedPostgres.at(folder).start()}.
 *
 * <p>One folder contains all files of a server: data, password, port and log. Two lock files in it
 * coordinate programs. The program that holds {@code owner.lock} owns the server and stops it;
 * other programs that start on the same folder use the running server. {@code start.lock} is held
 * while the server is started or stopped. The operating system releases both when the process ends,
 * so a killed program leaves behind only a running server, which the next program adopts.
 *
 * <p>Invariant: a data folder is never opened by two servers, and no file that PostgreSQL could
 * still need is deleted. This package uses JDBC and slf4j, and no other Holdfast package.
 */
@NullMarked
package dev.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
