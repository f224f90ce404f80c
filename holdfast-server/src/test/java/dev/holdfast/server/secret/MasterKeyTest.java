package dev.holdfast.server.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.server.config.ConfigException;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.secret.MasterKey.Place;
import dev.holdfast.server.secret.MasterKey.Sealed;
import dev.holdfast.server.secret.MasterKey.TamperedException;
import dev.holdfast.server.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MasterKeyTest {
  private static final MasterKey KEY = MasterKey.parse(TestServer.MASTER_KEY);
  private static final Place PLACE = new Place(7, "smtp");

  @Test
  void aValueIsOpenedInItsPlaceOnly() throws TamperedException {
    Sealed sealed = KEY.seal(PLACE, "a välue");
    assertThat(KEY.open(PLACE, sealed)).isEqualTo("a välue");
    for (Place other : new Place[] {new Place(8, "smtp"), new Place(7, "smtp2")}) {
      assertThatExceptionOfType(TamperedException.class).isThrownBy(() -> KEY.open(other, sealed));
    }
    MasterKey another = MasterKey.parse(RotationTest.NEW_KEY);
    assertThatExceptionOfType(TamperedException.class)
        .isThrownBy(() -> another.open(PLACE, sealed));
    assertThatExceptionOfType(TamperedException.class)
        .isThrownBy(() -> KEY.open(PLACE, new Sealed(sealed.nonce(), new byte[3])));
  }

  @Test
  void equalValuesLookDifferent() {
    assertThat(KEY.seal(PLACE, "value").ciphertext())
        .isNotEqualTo(KEY.seal(PLACE, "value").ciphertext());
  }

  @Test
  void anIdNamesAKeyAndDoesNotContainIt() {
    assertThat(KEY.id()).hasSize(16).isEqualTo(MasterKey.parse(TestServer.MASTER_KEY + "\n").id());
    assertThat(KEY.id()).isNotEqualTo(MasterKey.parse(RotationTest.NEW_KEY).id());
    assertThat(KEY).hasToString("key " + KEY.id());
  }

  @TempDir Path folder;

  private static ServerConfig config(Map<String, String> variables) {
    return Configuration.read(null, variables, Map.of()).server();
  }

  @Test
  void keysComeFromVariablesOrFiles() throws IOException {
    Path file = Files.writeString(folder.resolve("key"), RotationTest.NEW_KEY + "\n");
    ServerConfig config =
        config(
            Map.of(
                "HOLDFAST_SECRETS_KEY_FILE",
                file.toString(),
                "HOLDFAST_SECRETS_OLD_KEY",
                TestServer.MASTER_KEY));
    assertThat(config.secrets()).isNotNull();
    assertThat(config.secrets().find(KEY.id())).isPresent();
    assertThat(config.secrets().current().id()).isNotEqualTo(KEY.id());
    assertThat(config.toString()).doesNotContain(TestServer.MASTER_KEY, RotationTest.NEW_KEY);
    assertThat(config(Map.of()).secrets()).isNull();
  }

  @Test
  void wrongKeysAreRefusedAndNotShown() {
    for (String wrong : new String[] {"secret text", "c2hvcnQ=", RotationTest.NEW_KEY + "AAAA"}) {
      assertThatThrownBy(() -> config(Map.of("HOLDFAST_SECRETS_KEY", wrong)))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("secrets.key '(secret)'")
          .hasMessageContaining("openssl rand -base64 32")
          .hasMessageNotContaining(wrong);
    }
    assertThatThrownBy(() -> config(Map.of("HOLDFAST_SECRETS_KEY_FILE", "/no/such/file")))
        .hasMessageContaining("/no/such/file");
    assertThatThrownBy(() ->
            config(
                Map.of(
                    "HOLDFAST_SECRETS_KEY",
                    TestServer.MASTER_KEY,
                    "HOLDFAST_SECRETS_KEY_FILE",
                    "/some/file")))
        .hasMessage("Give either secrets.key or secrets.keyFile.");
    assertThatThrownBy(() -> config(Map.of("HOLDFAST_SECRETS_OLD_KEY", TestServer.MASTER_KEY)))
        .hasMessageContaining("no current one");
  }
}
