package dev.holdfast.cli.database;

import dev.holdfast.postgres.PostgresSettings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that select a database server and the user to log in as. */
public final class ServerOptions {

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  @Option(
      names = "--database-url",
      order = 107,
      paramLabel = "URL",
      defaultValue = "${env:HOLDFAST_DATABASE_URL}",
      description = {
        "The JDBC URL of the database, such as jdbc:postgresql://localhost:5432/app.",
        "Defaults to $HOLDFAST_DATABASE_URL."
      })
  private @Nullable String url;

  @Option(
      names = "--user",
      order = 108,
      paramLabel = "NAME",
      defaultValue = "${env:HOLDFAST_DATABASE_USER}",
      description =
          "The user to log in as. Defaults to $HOLDFAST_DATABASE_USER, or the user in the URL.")
  private @Nullable String user;

  @Option(
      names = "--password",
      order = 109,
      paramLabel = "TEXT",
      arity = "0..1",
      interactive = true,
      echo = false,
      defaultValue = "${env:HOLDFAST_DATABASE_PASSWORD}",
      description = {
        "The password. Without a value, the command prompts for it.",
        "Defaults to $HOLDFAST_DATABASE_PASSWORD, or the password in the URL or in ~/.pgpass."
      })
  private @Nullable String password;

  /** Returns the database given by the user, if any. */
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
