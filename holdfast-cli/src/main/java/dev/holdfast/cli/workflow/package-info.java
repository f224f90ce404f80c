/**
 * Commands about workflows: {@link dev.holdfast.cli.workflow.CheckCommand} checks those of a class
 * path, {@link dev.holdfast.cli.workflow.GraphCommand} draws those of a class path or a database,
 * and {@link dev.holdfast.cli.workflow.WorkflowCommand} lists those of a database.
 *
 * <p>Code of a class path is loaded in a separate class loader, by {@link
 * dev.holdfast.packages.scan}. Invariant: nothing that this code throws ends a command without a
 * message that names the module.
 */
@NullMarked
package dev.holdfast.cli.workflow;

import org.jspecify.annotations.NullMarked;
