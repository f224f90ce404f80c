package dev.holdfast.examples;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Enqueues jobs in your own transaction: the order and its job commit or roll back together. */
public final class TransactionalEnqueue {
  record Confirmation(String order) {}

  static final TaskType<Confirmation, Void> CONFIRM =
      TaskType.of("orders::confirm", Confirmation.class);

  public static void main(String[] args) throws Exception {
    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .handle(CONFIRM, (it, context) -> System.out.println("Confirming " + it.order()))
                .start();
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE orders (number text PRIMARY KEY)");
      connection.setAutoCommit(false);

      Enqueued<Void> first = placeOrder(connection, node.client(), "A-1");
      connection.commit();
      node.client().await(first, Duration.ofSeconds(30));
      System.out.println("A-1 was committed, its job exists: " + exists(node.client(), first));

      Enqueued<Void> second = placeOrder(connection, node.client(), "A-2");
      connection.rollback();
      System.out.println("A-2 was rolled back, its job exists: " + exists(node.client(), second));
    }
  }

  private static Enqueued<Void> placeOrder(Connection connection, Holdfast holdfast, String number)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO orders (number) VALUES (?)")) {
      insert.setString(1, number);
      insert.executeUpdate();
    }
    return holdfast.in(connection).enqueue(CONFIRM, new Confirmation(number));
  }

  private static boolean exists(Holdfast holdfast, Enqueued<?> job) {
    return holdfast.find(job.id()).isPresent();
  }
}
