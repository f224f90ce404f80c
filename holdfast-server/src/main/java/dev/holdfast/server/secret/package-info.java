/**
 * The secrets of tenants, for the handlers of their tasks.
 *
 * <p>Invariant: a value leaves this package only to handlers of its own tenant. In the database it
 * is encrypted, bound to its tenant and its name: a row that was changed, or copied to another
 * place, cannot be decrypted.
 */
@NullMarked
package dev.holdfast.server.secret;

import org.jspecify.annotations.NullMarked;
