package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** The credentials for a server on this machine. */
record Login(String user, String password) {

  static final String SUPERUSER = "postgres";

  /** The database that every database cluster has, for statements that need no other. */
  static final String MAINTENANCE = "postgres";

  /**
   * Returns the JDBC URL of a database. It requires SCRAM, because another user may have taken the
   * port of a stopped server: SCRAM does not reveal the password, and succeeds only with a server
   * that knows it. So a pool that reconnects neither leaks the password nor uses a server of
   * another user.
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

  /** Returns the data directory of the server that listens on a port. */
  String dataDirectory(int port) throws SQLException {
    try (Connection connection = connect(port, MAINTENANCE);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SHOW data_directory")) {
      result.next();
      return result.getString(1);
    }
  }

  @Override
  public String toString() {
    return "Login[" + user + "]";
  }
}
