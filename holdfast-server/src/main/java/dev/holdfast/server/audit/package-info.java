/** The audit log: who changed what, from where, with which outcome. */
@NullMarked
package dev.holdfast.server.audit;

import org.jspecify.annotations.NullMarked;
