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

  static String url(int port, String database) {
    return "jdbc:postgresql://%s:%d/%s"
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
