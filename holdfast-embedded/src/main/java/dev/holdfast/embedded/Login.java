package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** How to connect to a server on this machine. */
record Login(String user, String password) {

  static final String SUPERUSER = "postgres";

  /** The database that every cluster has, for statements that belong to none. */
  static final String MAINTENANCE = "postgres";

  /**
   * The address of a database. Another user may have taken the port of a server that stopped: SCRAM
   * shows the password to no server, and is completed only by one that knows it already. So a pool
   * that connects again neither gives the password away nor talks to a server of another user.
   */
  static String url(int port, String database) {
    return "jdbc:postgresql://%s:%d/%s?requireAuth=scram-sha-256"
        .formatted(Port.LOOPBACK, port, URLEncoder.encode(database, UTF_8).replace("+", "%20"));
  }

  Connection connect(int port, String database) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", "5");
    properties.setProperty("ApplicationName", "holdfast-embedded");
    return DriverManager.getConnection(url(port, database), properties);
  }

  /** Asks the server at a port which cluster it serves. */
  String dataDirectory(int port) throws SQLException {
    try (Connection connection = connect(port, MAINTENANCE);
        Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery("SHOW data_directory")) {
      answer.next();
      return answer.getString(1);
    }
  }

  @Override
  public String toString() {
    return "Login[" + user + "]";
  }
}
