/**
 * One PostgreSQL server for all tests of a JVM, and a database of its own for each test: {@code
 * SharedServer.freshDatabase()}.
 *
 * <p>Uses the embedded server's public interface and nothing else. No two callers ever get the same
 * database, so tests may run side by side.
 */
@NullMarked
package dev.holdfast.embedded.testing;

import org.jspecify.annotations.NullMarked;
