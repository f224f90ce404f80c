package dev.holdfast.embedded;

import dev.holdfast.embedded.Postmaster.Running;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The first connection to a server: proof that it is ours, is ready, and takes our password. */
record Greeting(DataFolder folder, Login login, Duration limit) {

  /** Class 28 of PostgreSQL's error codes: invalid authorization. */
  private static final String REFUSED = "28";

  /** Waits until the server answers; empty when it ends instead, as one that was stopping does. */
  Optional<Running> await() {
    Instant deadline = Instant.now().plus(limit);
    while (Postmaster.of(folder.pgdata()) instanceof Running running) {
      Optional<SQLException> objection = greet(running);
      if (objection.isEmpty()) {
        return Optional.of(running);
      }
      if (Instant.now().isAfter(deadline)) {
        throw new EmbeddedPostgresException(
            "The server that runs in %s (process %d, port %d) did not answer within %s: look at %s."
                .formatted(folder.root(), running.pid(), running.port(), limit, folder.logs()),
            objection.get());
      }
      Pause.briefly();
    }
    return Optional.empty();
  }

  /** What keeps the server from answering for now, if anything. */
  private Optional<SQLException> greet(Running running) {
    if (running.port() == 0) {
      return Optional.of(new SQLException("it has no port yet"));
    }
    try {
      check(running);
      return Optional.empty();
    } catch (SQLException e) {
      String state = e.getSQLState();
      if (state != null && state.startsWith(REFUSED)) {
        throw new EmbeddedPostgresException(
            """
            The server that runs in %s at port %d refuses the password kept there: restore the \
            file 'password', or stop process %d.\
            """
                .formatted(folder.root(), running.port(), running.pid()),
            e);
      }
      return Optional.of(e);
    }
  }

  private void check(Running running) throws SQLException {
    Path served = Path.of(login.dataDirectory(running.port()));
    if (!served.equals(folder.pgdata())) {
      throw new EmbeddedPostgresException(
          """
          Port %d is answered by the server of %s instead of that of %s: was the folder copied \
          while its server ran? Delete postmaster.pid in the copy.\
          """
              .formatted(running.port(), served, folder.pgdata()));
    }
  }
}
