package dev.holdfast.worker;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a store that a worker does not have: nothing is found, and nothing can be changed.
 */
final class Absent {
  private Absent() {}

  static <T> T of(Class<T> part) {
    return part.cast(
        Proxy.newProxyInstance(
            part.getClassLoader(),
            new Class<?>[] {part},
            (self, method, arguments) -> reply(self, method, arguments)));
  }

  @SuppressWarnings("ReferenceEquality") // What equals means for a part that has no state.
  private static Object reply(Object self, Method method, Object @Nullable [] arguments) {
    Class<?> type = method.getReturnType();
    if (method.getDeclaringClass() == Object.class) {
      return switch (method.getName()) {
        case "equals" -> arguments != null && self == arguments[0];
        case "hashCode" -> System.identityHashCode(self);
        default -> "absent";
      };
    }
    if (type == Optional.class) {
      return Optional.empty();
    }
    if (type == List.class) {
      return List.of();
    }
    if (type == Set.class) {
      return Set.of();
    }
    if (type == Map.class) {
      return Map.of();
    }
    if (type.isInterface() && type.getPackageName().equals("dev.holdfast.engine.store")) {
      return of(type);
    }
    throw refused(method);
  }

  private static UnsupportedOperationException refused(Method method) {
    return new UnsupportedOperationException(
        "A remote worker has no access to the database, so %s.%s is not possible: use the API of the server, or an embedded node."
            .formatted(method.getDeclaringClass().getSimpleName(), method.getName()));
  }
}
