package dev.holdfast.tck.node;

import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.InstantSource;

class InMemoryNodeTest extends NodeContract {

  @Override
  protected Store freshStore() {
    return new InMemoryStore(InstantSource.system());
  }
}
