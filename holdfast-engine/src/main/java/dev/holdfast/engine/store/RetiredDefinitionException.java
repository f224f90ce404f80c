package dev.holdfast.engine.store;

import dev.holdfast.api.HoldfastException;

/**
 * Reports that a run cannot be started or moved, because the graph was not used for a long time and
 * is about to be deleted, or was. Nothing was changed. The graph must be registered again.
 */
public final class RetiredDefinitionException extends HoldfastException {
  private static final long serialVersionUID = 1;

  public RetiredDefinitionException(String workflow) {
    super("The graph of workflow '%s' is retired: register it again.".formatted(workflow));
  }
}
