/**
 * The control schema: tenants, API keys, the audit log and what else belongs to the installation
 * and not to one tenant. It knows how to reach and migrate that schema; the statements are in the
 * packages that use them.
 */
@NullMarked
package dev.holdfast.server.control;

import org.jspecify.annotations.NullMarked;
