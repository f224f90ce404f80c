package dev.holdfast.embedded;

import dev.holdfast.embedded.Postmaster.Absent;
import dev.holdfast.embedded.Postmaster.Dead;
import dev.holdfast.embedded.Postmaster.Mistaken;
import dev.holdfast.embedded.Postmaster.Running;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Checks that a server is ready, serves this data folder, and accepts the stored password. */
record ReadinessCheck(DataFolder folder, Login login, Duration limit) {

  /** Class 28 of PostgreSQL's error codes: invalid authorization. */
  private static final String REFUSED = "28";

  /** Waits until the server accepts connections; returns empty if the server ends instead. */
  Optional<Running> await() {
    AtomicReference<@Nullable SQLException> objection = new AtomicReference<>();
    Optional<Postmaster> settled =
        Pause.untilPresent(
            () -> {
              Postmaster seen = Postmaster.of(folder.pgdata());
              objection.set(seen instanceof Running running ? greet(running) : null);
              return objection.get() == null ? Optional.of(seen) : Optional.empty();
            },
            limit);
    return switch (settled.orElseThrow(() -> noAnswer(objection.get()))) {
      case Running running -> Optional.of(running);
      case Absent absent -> Optional.empty();
      case Dead dead -> Optional.empty();
      case Mistaken mistaken -> Optional.empty();
    };
  }

  private EmbeddedPostgresException noAnswer(@Nullable SQLException objection) {
    return new EmbeddedPostgresException(
        "The PostgreSQL server in %s did not accept connections within %s: check its log in %s."
            .formatted(folder.root(), limit, folder.logs()),
        objection);
  }

  /** Returns why the server does not accept connections yet, or null if it does. */
  private @Nullable SQLException greet(Running running) {
    if (running.port() == 0) {
      return new SQLException("The server does not listen on a port yet.");
    }
    try {
      check(running);
      return null;
    } catch (SQLException e) {
      String state = e.getSQLState();
      if (state != null && state.startsWith(REFUSED)) {
        throw new EmbeddedPostgresException(
            """
            The PostgreSQL server in %s on port %d rejects the password stored in the folder: \
            restore the file 'password', or stop process %d.\
            """
                .formatted(folder.root(), running.port(), running.pid()),
            e);
      }
      return e;
    }
  }

  private void check(Running running) throws SQLException {
    Path served = Path.of(login.dataDirectory(running.port()));
    if (!served.equals(folder.pgdata())) {
      throw new EmbeddedPostgresException(
          """
          The server on port %d serves %s, not %s: if the folder was copied while its server was \
          running, delete postmaster.pid in the copy.\
          """
              .formatted(running.port(), served, folder.pgdata()));
    }
  }
}
