package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.contract.Worker;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that other programs have written in a format that cannot be read. */
class UnreadableJobTest {
  private final NewJob strange = new JobDraft().tags("a", "b").build();
  private final NewJob fine = new JobDraft().build();
  private PostgresFixture fixture;
  private Worker worker;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
    fixture.store().intake().enqueue(List.of(strange, fine));
    worker = Worker.join(fixture.store(), "node-1", JobDraft.QUEUE, JobDraft.TASK);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void tagsThatAreNotASetAreTolerated() {
    fixture.execute("update holdfast.job set tags = '{a,a,null}' where tags is not null");

    List<ClaimedJob> claimed = worker.claim(2);

    assertThat(claimed).extracting(ClaimedJob::id).containsExactly(strange.id(), fine.id());
    assertThat(claimed.getFirst().tags()).containsExactly("a");
  }

  @Test
  void anUnreadableJobIsDeadLetteredAndOthersAreClaimed() {
    makeTagsUnreadable();

    assertThat(worker.claim(2)).extracting(ClaimedJob::id).containsExactly(fine.id());

    assertThat(deadLetter()).isEqualTo(strange.id() + " UNREADABLE 1");
    assertThat(fixture.ask("select sum(count) from holdfast.tally where state = 'FAILED'"))
        .isEqualTo("1");
  }

  @Test
  void anUnreadablePrefetchedJobIsDeadLettered() {
    makeTagsUnreadable();

    assertThat(worker.prefetch(2)).extracting(ClaimedJob::id).containsExactly(fine.id());

    assertThat(deadLetter()).isEqualTo(strange.id() + " UNREADABLE 0");
  }

  private void makeTagsUnreadable() {
    for (String table : List.of("job", "dead_letter")) {
      fixture.execute(
          "drop index if exists holdfast.%1$s_tags; alter table holdfast.%1$s alter column tags type jsonb using to_jsonb(tags)"
              .formatted(table));
    }
  }

  private String deadLetter() {
    return fixture.ask(
        "select id || ' ' || (failures->0->>'code') || ' ' || attempt from holdfast.dead_letter");
  }
}
