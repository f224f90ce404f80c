package dev.holdfast.testkit.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store under observation: shows how attempts ended, and which calls failed. Roles only log such
 * failures and try again later, when {@code drain} has long returned.
 */
final class ObservedStore {
  private final Map<String, Object> areas = new ConcurrentHashMap<>();
  private final BiConsumer<Finish, Outcomes.Result> onFinish;
  private final Consumer<StoreException> onFailure;
  private final BooleanSupplier killed;

  private ObservedStore(
      BiConsumer<Finish, Outcomes.Result> onFinish,
      Consumer<StoreException> onFailure,
      BooleanSupplier killed) {
    this.onFinish = onFinish;
    this.onFailure = onFailure;
    this.killed = killed;
  }

  /**
   * Returns a store that passes every call to the real one.
   *
   * @param onFinish receives the outcomes that were written
   * @param onFailure receives the failures of calls, which are thrown too
   * @param killed whether the process that uses the store is to be regarded as dead: then every
   *     call fails and changes nothing
   */
  static Store observe(
      Store real,
      BiConsumer<Finish, Outcomes.Result> onFinish,
      Consumer<StoreException> onFailure,
      BooleanSupplier killed) {
    return new ObservedStore(onFinish, onFailure, killed).observe(real);
  }

  private Store observe(Store real) {
    return proxy(
        Store.class,
        (method, arguments) ->
            isArea(method)
                ? areas.computeIfAbsent(
                    method.getName(), name -> area(method.getReturnType(), areaOf(real, method)))
                : call(real, method, arguments));
  }

  /** Returns whether a method returns an area of the store that roles use. */
  private static boolean isArea(Method method) {
    return method.getParameterCount() == 0
        && method.getReturnType().getPackageName().equals(Store.class.getPackageName());
  }

  private static Object areaOf(Store real, Method method) {
    try {
      Object area = call(real, method, null);
      if (area != null) {
        return area;
      }
    } catch (RuntimeException | Error failure) {
      throw failure;
    } catch (Throwable impossible) { // No area declares a checked exception.
      throw new IllegalStateException(impossible);
    }
    throw new IllegalStateException("The store has no " + method.getName());
  }

  private <T> T area(Class<T> type, Object real) {
    Object seen = real instanceof Outcomes outcomes ? recorded(outcomes) : real;
    return proxy(
        type,
        (method, arguments) -> {
          if (killed.getAsBoolean()) {
            throw new StoreException(
                StoreException.Outcome.REFUSED, "The node was killed by the test.", null);
          }
          try {
            return call(seen, method, arguments);
          } catch (StoreException failure) {
            onFailure.accept(failure);
            throw failure;
          }
        });
  }

  private Outcomes recorded(Outcomes real) {
    return new Outcomes() {
      @Override
      public List<Result> finish(UUID incarnation, List<? extends Finish> finishes) {
        List<Result> results = real.finish(incarnation, finishes);
        for (int i = 0; i < results.size(); i++) {
          onFinish.accept(finishes.get(i), results.get(i));
        }
        return results;
      }

      @Override
      public Set<ClaimId> note(UUID incarnation, List<Note> notes) {
        return real.note(incarnation, notes);
      }
    };
  }

  /** A call of an observed interface. */
  private interface Call {
    @Nullable Object on(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call.on(method, arguments)));
  }

  private static @Nullable Object call(
      Object real, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() != null ? thrown.getCause() : thrown;
    }
  }
}
