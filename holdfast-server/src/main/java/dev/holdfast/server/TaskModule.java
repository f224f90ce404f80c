package dev.holdfast.server;

import dev.holdfast.engine.node.NodeBuilder;

/**
 * Adds tasks and workflows to the nodes of a server. The server finds implementations on the class
 * path with {@link java.util.ServiceLoader} and calls each one for every tenant.
 */
public interface TaskModule {

  /** Registers handlers and workflows with a node that is about to start. */
  void addTo(NodeBuilder node);
}
