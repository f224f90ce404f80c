package dev.holdfast.postgres.run;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/** The connection that a durable step receives: its transaction belongs to the journal. */
final class StepConnection {
  private StepConnection() {}

  /** Returns a connection that cannot be committed, rolled back or closed. */
  static Connection of(Connection real) {
    return (Connection)
        Proxy.newProxyInstance(
            StepConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean ends =
                  switch (method.getName()) {
                    case "commit",
                        "close",
                        "abort",
                        "setAutoCommit",
                        "beginRequest",
                        "endRequest" ->
                        true;
                    case "rollback" -> method.getParameterCount() == 0;
                    default -> false;
                  };
              if (ends) {
                throw new SQLException(
                    "A durable step must not call %s() on its connection: return to commit, throw to roll back."
                        .formatted(method.getName()));
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause() != null ? thrown.getCause() : thrown;
              }
            });
  }
}
