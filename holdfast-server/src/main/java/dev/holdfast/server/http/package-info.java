/**
 * The HTTP pipeline, without a web framework: routes are functions from a call to a response.
 *
 * <p>Authentication, tenancy, permission, limits and idempotency are decided here, each in one
 * place, before a handler is called. A handler receives its tenant and cannot name another.
 */
@NullMarked
package dev.holdfast.server.http;

import org.jspecify.annotations.NullMarked;
