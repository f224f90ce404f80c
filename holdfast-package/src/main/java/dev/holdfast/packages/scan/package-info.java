/**
 * Finds the modules of a class path and reports what they contain: tasks, workflows, and what is
 * wrong with them.
 *
 * <p>Code of a class path is loaded by {@link dev.holdfast.packages.scan.ModulePath} only, in a
 * separate class loader. Invariant: what this code throws becomes a finding that names the module.
 */
@NullMarked
package dev.holdfast.packages.scan;

import org.jspecify.annotations.NullMarked;
