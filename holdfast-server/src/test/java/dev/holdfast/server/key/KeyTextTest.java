package dev.holdfast.server.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class KeyTextTest {

  @Test
  void aKeyNamesItsEnvironmentTenantAndId() {
    KeyText key = KeyText.create("live", "acme-2");
    assertThat(key.text()).matches("holdfast_live_acme-2_[a-z0-9]{12}_[0-9A-Za-z]{49}");
    assertThat(KeyText.parse(key.text())).contains(key);
  }

  @Test
  void theLastSixCharactersAreAChecksum() {
    String text = KeyText.create("live", "acme").text();
    for (int i = 0; i < text.length(); i++) {
      char other = text.charAt(i) == 'a' ? 'b' : 'a';
      String changed = text.substring(0, i) + other + text.substring(i + 1);
      assertThat(KeyText.parse(changed)).as(changed).isEmpty();
    }
    assertThat(KeyText.checksum("holdfast")).hasSize(6);
  }

  @Test
  void keysDiffer() {
    Set<String> all = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      assertThat(all.add(KeyText.create("live", "acme").text())).isTrue();
      assertThat(all.add(KeyText.idFrom(UUID.randomUUID()))).isTrue();
    }
  }

  @Test
  void theTextOfAKeyIsNotPrinted() {
    KeyText key = KeyText.create("live", "acme");
    assertThat(key.toString()).endsWith("_...").doesNotContain(key.text().substring(40));
  }
}
