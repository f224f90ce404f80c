/**
 * Commands about the installation of a server: tenants, keys, the audit log, and the profiles with
 * which this user connects. All but the profiles need a server.
 */
@NullMarked
package dev.holdfast.cli.admin;

import org.jspecify.annotations.NullMarked;
