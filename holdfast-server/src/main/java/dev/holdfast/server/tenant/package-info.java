/**
 * Tenants: names, states, and the store and client of each.
 *
 * <p>The rest of the server sees tenants only through {@link dev.holdfast.server.tenant.Tenants},
 * so how tenants share a database can change behind it.
 */
@NullMarked
package dev.holdfast.server.tenant;

import org.jspecify.annotations.NullMarked;
