package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.tck.contract.Worker;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Declarations of schedules when a statement fails half way. */
class DeclarationTest {
  private PostgresFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aFailedDeclarationKeepsThePreviousOne() {
    Worker node = Worker.join(fixture.store(), "node-1", Drafts.QUEUE, Drafts.TASK);
    declare(node, "v1");
    fixture.execute(
        """
        create function public.object() returns trigger language plpgsql as
          'begin raise exception ''not today''; end';
        create trigger object before insert on holdfast.schedule_declaration
          for each row execute function public.object()
        """);

    assertThatThrownBy(() -> declare(node, "v2"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("not today");

    assertThat(fixture.ask("select fingerprint from holdfast.schedule_declaration"))
        .isEqualTo("v1");
  }

  private void declare(Worker node, String fingerprint) {
    fixture.store().schedules().declare(node.incarnation(), "shop", Map.of("nightly", fingerprint));
  }
}
