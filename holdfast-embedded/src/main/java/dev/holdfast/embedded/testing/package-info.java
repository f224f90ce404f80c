/**
 * One PostgreSQL server for all tests of a JVM, and a separate database for each test: {@code
 * SharedServer.freshDatabase()}.
 *
 * <p>Uses only the public API of the embedded server. Each caller gets a different database, so
 * tests can run in parallel.
 */
@NullMarked
package dev.holdfast.embedded.testing;

import org.jspecify.annotations.NullMarked;
