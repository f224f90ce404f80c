/**
 * API keys and callers: the format of keys, the permissions of callers, and the keys of the
 * installation in memory.
 *
 * <p>Invariant: neither the response nor its timing lets a caller distinguish a wrong key from an
 * expired, revoked or malformed one, or from a key of another tenant.
 */
@NullMarked
package dev.holdfast.server.key;

import org.jspecify.annotations.NullMarked;
