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

/** The first connection to a server: proof that it is ours, is ready, and takes our password. */
record ReadinessCheck(DataFolder folder, Login login, Duration limit) {

  /** Class 28 of PostgreSQL's error codes: invalid authorization. */
  private static final String REFUSED = "28";

  /** Waits until the server answers; empty when it ends instead, as one that was stopping does. */
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
        "The server that runs in %s did not answer within %s: look at %s."
            .formatted(folder.root(), limit, folder.logs()),
        objection);
  }

  /** What keeps the server from answering for now, if anything. */
  private @Nullable SQLException greet(Running running) {
    if (running.port() == 0) {
      return new SQLException("It has no port yet.");
    }
    try {
      check(running);
      return null;
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
      return e;
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
