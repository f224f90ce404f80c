package dev.holdfast.junit;

import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;

/** A store that records when it is closed. */
final class ClosingStore {
  private ClosingStore() {}

  static Store notifying(Runnable onClose) {
    InMemoryStore real = new InMemoryStore(InstantSource.system());
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                onClose.run();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }
}
