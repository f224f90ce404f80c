/**
 * Commands for packages: {@link dev.holdfast.cli.packages.InitCommand} creates a project, {@link
 * dev.holdfast.cli.packages.PackageCommand} builds, checks, pushes and manages packages.
 */
@NullMarked
package dev.holdfast.cli.packages;

import org.jspecify.annotations.NullMarked;
