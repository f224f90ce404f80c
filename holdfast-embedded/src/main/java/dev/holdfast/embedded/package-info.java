/**
 * PostgreSQL itself, started from Maven artefacts: {@code EmbeddedPostgres.at(folder).start()}.
 *
 * <p>One folder holds everything a server is: its data, password, port and log. Two locks in it
 * keep programs apart. Whoever holds {@code owner.lock} owns the server and stops it; everybody
 * else who starts on the same folder is a guest of the running server. {@code start.lock} is held
 * while a server is brought up or down. The operating system drops both with the process, so a
 * killed program leaves nothing behind but a server that the next one adopts.
 *
 * <p>The invariant: a data folder is never opened by two servers, and nothing in it is deleted that
 * PostgreSQL could still need. This package knows JDBC and slf4j, and nothing else of Holdfast.
 */
@NullMarked
package dev.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
