package dev.holdfast.server.api;

import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.http.Cursors;
import dev.holdfast.server.key.KeyRing;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.node.NodeDirectory;
import dev.holdfast.server.packages.Packages;
import dev.holdfast.server.tenant.Tenants;

/** What handlers use. */
public record Services(
    ControlDatabase control,
    KeyStore keys,
    KeyRing ring,
    Tenants tenants,
    NodeDirectory nodes,
    AuditLog audit,
    Packages packages,
    Cursors cursors) {}
