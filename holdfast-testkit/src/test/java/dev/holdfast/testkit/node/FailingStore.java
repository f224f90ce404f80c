package dev.holdfast.testkit.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;

/** A store whose claims fail on request, on the clock of the machine like a database. */
final class FailingStore implements AutoCloseable {
  private final InMemoryStore real = new InMemoryStore(InstantSource.system());
  private final Claims claims = fail(Claims.class, real.claims());
  private final Store store = replaceClaims();
  private volatile boolean failing;

  Store store() {
    return store;
  }

  void failClaims(boolean on) {
    failing = on;
  }

  private Store replaceClaims() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) ->
                method.getName().equals("claims") ? claims : call(real, method, arguments));
  }

  private <T> T fail(Class<T> type, T area) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (failing && method.getName().equals("claim")) {
                throw new StoreException(StoreException.Outcome.RETRYABLE, "no claims today", null);
              }
              return call(area, method, arguments);
            }));
  }

  private static Object call(Object on, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  @Override
  public void close() {
    real.close();
  }
}
