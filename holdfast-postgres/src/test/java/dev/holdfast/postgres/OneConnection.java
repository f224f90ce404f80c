package dev.holdfast.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLFeatureNotSupportedException;
import javax.sql.DataSource;

/** A data source with one connection, whose state is not reset between uses. */
final class OneConnection {
  private OneConnection() {}

  static DataSource source(Connection only) {
    Connection kept =
        proxy(
            Connection.class,
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("close") ? null : method.invoke(only, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
    return proxy(
        DataSource.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("getConnection")) {
            return kept;
          }
          throw new SQLFeatureNotSupportedException(method.getName());
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            OneConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
