/**
 * Remote workers: programs in any language that claim jobs of a tenant over the API and run them.
 * What a worker holds is in the tables only, so that any server handles any of its calls, and every
 * write names its incarnation and the token of the claim.
 */
@NullMarked
package dev.holdfast.server.worker;

import org.jspecify.annotations.NullMarked;
