package dev.holdfast.tck.simulation;

import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.StoreMethod;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Wraps a store so that every call passes through an interceptor. */
public final class Interposed {

  /** The interceptor. */
  @FunctionalInterface
  public interface Between {
    /**
     * Handles a call of a store method, by proceeding with it or otherwise.
     *
     * @throws Throwable what the call throws
     */
    @Nullable Object call(Call call) throws Throwable;
  }

  /**
   * An intercepted call.
   *
   * @param role the part of the store that is called
   */
  public record Call(Object role, Method method, List<@Nullable Object> arguments) {

    /** Returns the name of the method. */
    public String name() {
      return method.getName();
    }

    /** Returns whether the called method is this method or an overload of it. */
    public boolean is(StoreMethod expected) {
      return expected.is(method);
    }

    /** Executes the call. */
    public @Nullable Object proceed() throws Throwable {
      return proceedWith(arguments.toArray());
    }

    /** Executes the call with other arguments. */
    public @Nullable Object proceedWith(@Nullable Object... others) throws Throwable {
      try {
        return method.invoke(role, others);
      } catch (InvocationTargetException thrown) {
        throw thrown.getCause() != null ? thrown.getCause() : thrown;
      }
    }
  }

  private Interposed() {}

  /**
   * Returns a store that passes every call of the real store through the interceptor and has a
   * separate coordinator.
   */
  public static Store on(Store real, Between between) {
    ClusterCoordinator alone = ClusterCoordinator.withinProcess();
    Object runs = parts(RunStore.class, real.runs(), Map.of(), between);
    Map<String, Optional<Object>> own =
        Map.of(
            "coordinator",
            Optional.of(alone),
            "close",
            Optional.empty(),
            "runs",
            Optional.of(runs));
    return (Store) parts(Store.class, real, own, between);
  }

  /**
   * Returns an object whose methods return parts of the store, each of which passes its calls
   * through the interceptor.
   *
   * @param own what methods return that do not return a part of the real store, by name
   */
  private static Object parts(
      Class<?> type, Object real, Map<String, Optional<Object>> own, Between between) {
    Map<String, Object> roles = new HashMap<>();
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) ->
            own.containsKey(method.getName())
                ? own.get(method.getName()).orElse(null)
                : roles.computeIfAbsent(
                    method.getName(),
                    name -> role(method.getReturnType(), roleOf(real, method), between)));
  }

  private static Object roleOf(Object real, Method method) {
    try {
      return method.invoke(real);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException("The store has no " + method.getName(), impossible);
    }
  }

  private static Object role(Class<?> type, Object real, Between between) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) ->
            between.call(
                new Call(real, method, arguments == null ? List.of() : Arrays.asList(arguments))));
  }
}
