/**
 * API keys and callers: how a key is written, who may do what, and the keys of the installation in
 * memory.
 *
 * <p>Invariant: no caller can tell a wrong key from an expired, a revoked, a malformed or another
 * tenant's key, neither by the response nor by its time.
 */
@NullMarked
package dev.holdfast.server.key;

import org.jspecify.annotations.NullMarked;
