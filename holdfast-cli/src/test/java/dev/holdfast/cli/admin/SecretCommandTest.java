package dev.holdfast.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.connect.ExitCode;
import dev.holdfast.cli.testing.CliServer;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for secrets, as clients of a real server. */
class SecretCommandTest {
  private static CliServer server;

  @TempDir Path folder;

  @BeforeAll
  static void open() {
    server = new CliServer();
  }

  @AfterAll
  static void close() {
    server.close();
  }

  private static String done(Cli cli) {
    assertThat(cli.exit()).as(cli.err()).isZero();
    return cli.out();
  }

  private static Cli withInput(String input, String... args) {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
    try {
      return server.run(args);
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void aSecretComesFromAFileOrStandardInputAndIsNotShown() throws Exception {
    Path file = Files.writeString(folder.resolve("value"), "from a file\n");
    assertThat(done(server.run("secret", "set", "smtp", "--file", file.toString())))
        .contains("'smtp'", "version 1")
        .doesNotContain("from a file");
    assertThat(done(withInput("from standard input\n", "secret", "set", "smtp")))
        .contains("version 2");
    String list = done(server.run("secret", "list"));
    assertThat(list).contains("smtp").doesNotContain("input", "a file");
    assertThat(done(server.run("secret", "list", "-o", "json")))
        .contains("\"version\" : \"2\"")
        .doesNotContain("input");
    assertThat(done(server.run("secret", "delete", "smtp"))).contains("is deleted");
    assertThat(server.run("secret", "delete", "smtp").exit())
        .isEqualTo(ExitCode.NOT_FOUND.number());
  }

  @Test
  void wrongUseIsRefused() {
    // Seven characters are too few: the end of the line does not count.
    assertThat(withInput("1234567\n", "secret", "set", "short").exit())
        .isEqualTo(ExitCode.USAGE.number());
    assertThat(server.run("secret", "set", "x", "value-as-argument").exit())
        .isEqualTo(ExitCode.USAGE.number());
    assertThat(server.run("secret", "set", "x", "--file", "/no/such/file").exit())
        .isEqualTo(ExitCode.USAGE.number());
    assertThat(server.run("secret", "rotate").exit()).isEqualTo(ExitCode.REFUSED.number());
  }

  @Test
  void aRotationReportsHowManySecretsAreEncryptedWithTheNewKey() {
    assertThat(done(server.admin("secret", "rotate")))
        .containsPattern("0 secrets are encrypted with master key [0-9a-f]{16} now; 0 are not\\.");
  }
}
