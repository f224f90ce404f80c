package dev.holdfast.server.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys in memory, with a clock of the test. */
class KeyRingTest {
  private final TestDatabase database = SharedServer.freshDatabase();
  private ControlDatabase control;
  private KeyStore store;
  private KeyRing ring;
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private long nanos;

  @BeforeEach
  void open() {
    control =
        ControlDatabase.connect(
            new DatabaseAddress(database.jdbcUrl(), database.user(), database.password()),
            "holdfast_control");
    store = new KeyStore(control, "live");
    ring = new KeyRing(store, () -> now, () -> nanos);
  }

  @AfterEach
  void close() {
    control.close();
    database.close();
  }

  private KeyText create(NewKey key) {
    return control.transaction(
        "create a key", statements -> store.create(statements, null, key, KeyText.newId(), null));
  }

  private void pass(Duration time) {
    now = now.plus(time);
    nanos += time.toNanos();
  }

  @Test
  void aRevokedKeyIsRefusedWithinFiveSecondsOnOtherServers() {
    KeyText key = create(NewKey.preset("x", "admin"));
    assertThat(ring.authenticate(key.text(), null)).isPresent();

    control.transaction("revoke", statements -> store.revoke(statements, key.id()));
    pass(Duration.ofSeconds(3));
    assertThat(ring.authenticate(key.text(), null)).as("confirmed 3 s ago").isPresent();
    pass(Duration.ofSeconds(1));
    assertThat(ring.authenticate(key.text(), null)).as("4 s later").isEmpty();
  }

  @Test
  void aNewKeyIsKnownToOtherServersAfterFourSeconds() {
    ring.authenticate("nothing", null);
    KeyText key = create(NewKey.preset("x", "viewer"));
    pass(Duration.ofSeconds(4));
    assertThat(ring.authenticate(key.text(), null)).isPresent();
  }

  @Test
  void anExpiredKeyIsRefusedFromThatMoment() {
    KeyText key = create(new NewKey("x", Set.of(), List.of(), List.of(), now.plusSeconds(60)));
    assertThat(ring.authenticate(key.text(), null)).isPresent();
    pass(Duration.ofSeconds(60));
    assertThat(ring.authenticate(key.text(), null)).isEmpty();
  }

  @Test
  void theRightIdWithAnotherSecretIsRefused() {
    KeyText key = create(NewKey.preset("x", "admin"));
    KeyText forged = KeyText.create("live", KeyText.INSTALLATION, key.id());
    assertThat(KeyText.parse(forged.text())).isPresent();
    assertThat(ring.authenticate(forged.text(), null)).isEmpty();
    assertThat(ring.authenticate("", null)).isEmpty();
    assertThat(ring.authenticate(null, null)).isEmpty();
  }

  /** Otherwise the time of a response would tell which ids exist. */
  @Test
  void noKeyIsLookedUpInTheDatabase() {
    KeyText right = create(NewKey.preset("right", "admin"));
    KeyText revoked = create(NewKey.preset("revoked", "admin"));
    control.transaction("revoke", statements -> store.revoke(statements, revoked.id()));
    KeyText expired = create(new NewKey("x", Set.of(), List.of(), List.of(), now.minusSeconds(1)));
    assertThat(ring.authenticate(right.text(), null)).isPresent();
    control.close();
    for (String wrong :
        List.of(
            KeyText.create("live", "nobody").text(),
            KeyText.create("live", KeyText.INSTALLATION, right.id()).text(),
            revoked.text(),
            expired.text(),
            right.text() + "x",
            "")) {
      assertThat(ring.authenticate(wrong, "default")).isEmpty();
    }
    assertThat(ring.authenticate(right.text(), "default")).isPresent();
    // Without the database nothing is confirmed, so that a revocation cannot be missed.
    pass(Duration.ofSeconds(4));
    assertThatThrownBy(() -> ring.authenticate(right.text(), null))
        .isInstanceOf(StoreException.class);
  }

  /** The overlap of a rotation, and an expiry that comes sooner. */
  @Test
  void aReplacedKeyExpiresAfterTheOverlapOrWhenItWouldHaveAnyway() {
    now = Instant.now();
    KeyText open = create(NewKey.preset("x", "viewer"));
    KeyText ending =
        create(new NewKey("x", Set.of(), List.of(), List.of(), now.plus(Duration.ofMinutes(10))));
    for (KeyText key : List.of(open, ending)) {
      assertThat(
              control.<Boolean>transaction(
                  "replace",
                  statements ->
                      store.replace(statements, key.id(), KeyText.newId(), Duration.ofHours(1))))
          .isTrue();
    }
    ring.reload();
    assertThat(ring.authenticate(open.text(), null)).isPresent();
    assertThat(ring.authenticate(ending.text(), null)).isPresent();
    pass(Duration.ofMinutes(50));
    assertThat(ring.authenticate(ending.text(), null)).as("expired after 10 minutes").isEmpty();
    assertThat(ring.authenticate(open.text(), null)).as("during the overlap").isPresent();
    pass(Duration.ofMinutes(11));
    assertThat(ring.authenticate(open.text(), null)).as("after the overlap").isEmpty();
  }

  @Test
  void lastUsedIsWrittenOnceAMinute() {
    KeyText key = create(NewKey.preset("x", "admin"));
    ring.authenticate(key.text(), null);
    assertThat(store.find(null, key.id()).orElseThrow().lastUsed()).isNull();
    ring.flushLastUsed();
    assertThat(store.find(null, key.id()).orElseThrow().lastUsed()).isEqualTo(now);
  }

  @Test
  void theSecretIsStoredNowhere() throws Exception {
    KeyText key = create(NewKey.preset("x", "admin"));
    String secret = key.text().substring(key.text().lastIndexOf('_') + 1);
    try (var connection = database.connect();
        var row =
            connection
                .createStatement()
                .executeQuery(
                    "select string_agg(k::text, ' ') || (select coalesce(string_agg(a::text, ' '),"
                        + " '') from holdfast_control.audit a) from holdfast_control.api_key k")) {
      row.next();
      assertThat(row.getString(1)).contains(key.id()).doesNotContain(secret);
    }
  }
}
