package dev.holdfast.cli.database;

import dev.holdfast.postgres.PostgresSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that name a database. */
public final class ServerOptions {

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  @Option(
      names = "--database-url",
      paramLabel = "URL",
      defaultValue = "${env:HOLDFAST_DATABASE_URL}",
      description = {
        "The database, such as jdbc:postgresql://localhost:5432/app.",
        "Defaults to $HOLDFAST_DATABASE_URL."
      })
  private @Nullable String url;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      defaultValue = "${env:HOLDFAST_DATABASE_USER}",
      description = "Who to log in as. Defaults to $HOLDFAST_DATABASE_USER, or what the URL says.")
  private @Nullable String user;

  @Option(
      names = "--password",
      paramLabel = "TEXT",
      arity = "0..1",
      interactive = true,
      echo = false,
      defaultValue = "${env:HOLDFAST_DATABASE_PASSWORD}",
      description = {
        "The password; without a value it is asked for.",
        "Defaults to $HOLDFAST_DATABASE_PASSWORD, or what the URL or ~/.pgpass says."
      })
  private @Nullable String password;

  /** The database that was named, if any was. */
  public Optional<Address> named() {
    if (url == null || url.isBlank()) {
      return Optional.empty();
    }
    try {
      PostgresSettings.of(url);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(
          command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
    }
    return Optional.of(new Address(url, user, password));
  }
}
