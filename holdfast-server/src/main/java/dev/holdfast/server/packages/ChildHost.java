package dev.holdfast.server.packages;

import dev.holdfast.packages.child.Orders;
import dev.holdfast.packages.load.Sandbox;
import dev.holdfast.server.tenant.OpenTenant;

/** What the server gives to processes that run packages. */
public interface ChildHost {

  /** How a process reaches the server. */
  interface Access extends AutoCloseable {
    /** Returns what the process is told first, with its key. */
    Orders.Start start();

    /** Ends the key, and declares dead what worked with it: the process has ended. */
    @Override
    void close();
  }

  /** Lends a key to a new process of a tenant. */
  Access open(OpenTenant tenant);

  /** Returns the size of the heap of a process. */
  int heapMegabytes();

  /** Returns how much of the machine a process may use. */
  Sandbox.Limits limits();
}
