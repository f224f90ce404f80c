package dev.holdfast.server.packages;

import dev.holdfast.packages.jar.PackageLimits;

/** What handlers use for packages. */
public record Packages(PackageStore store, PackageUploads uploads, PackageLimits limits) {}
