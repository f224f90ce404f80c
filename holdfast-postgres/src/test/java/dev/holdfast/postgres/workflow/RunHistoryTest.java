package dev.holdfast.postgres.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Counts;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.postgres.PostgresStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Long histories of runs: what is read of them, and how they are deleted. */
class RunHistoryTest {
  private static final int MANY = 100_000;

  /** The number of the oldest runs, which are the special ones. */
  private static final int RARE = 25;

  /** Less than any of the indexes has. */
  private static final long FEW = 250;

  private static final Retention RETENTION =
      new Retention(Duration.ofDays(10), Duration.ofDays(30));

  private final PostgresFixture fixture = new PostgresFixture();
  private int definition;

  @BeforeEach
  void define() {
    definition =
        fixture
            .store()
            .runs()
            .definitions()
            .register(
                List.of(
                    new Definition("hash", "chain", 1, "{}"),
                    new Definition("hash-2", "rare", 1, "{}")))
            .getFirst()
            .id();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /**
   * Inserts ended runs, of which the ten oldest failed and the next ten are of another workflow.
   * The planner does not know yet that these are rare, as after a busy hour: it would find a list
   * of them among the newest runs, and a count in the whole table.
   */
  private void history() {
    // It would analyze the table at some time, and what it reads would be counted.
    fixture.execute("alter table holdfast.run_history set (autovacuum_enabled = false)");
    insert(1, RARE);
    fixture.execute("analyze holdfast.run_history");
    insert(RARE + 1, MANY);
    fixture.execute("vacuum holdfast.run_history");
  }

  private void insert(int first, int last) {
    fixture.execute(
        """
        insert into holdfast.run_history (id, created_at, ended_at, seq, bytes, definition, state,
          phase, workflow, steps, input, tags)
        select ('01900000-' || lpad(to_hex(n / 65536), 4, '0') || '-7000-8000-'
               || lpad(to_hex(n), 12, '0'))::uuid,
          now(), now(), 5, 10, %3$d, case when n <= 10 then 'FAILED' else 'SUCCEEDED' end, 'MAIN',
          case when n between 11 and 20 then 'rare' else 'chain' end, 'SS', '{}',
          case when n between 21 and 25 then array['vip'] end
        from generate_series(%1$d, %2$d) n
        """
            .formatted(first, last, definition));
  }

  private long blocksRead(Consumer<RunQueries> query) {
    long before = read();
    try (PostgresStore store = PostgresStore.connect(fixture.settings().name("planned").build())) {
      query.accept(store.runs().queries());
    }
    await()
        .until(() ->
            fixture
                .ask(
                    "select count(*) from pg_stat_activity where application_name like '%planned%'")
                .equals("0"));
    return read() - before;
  }

  /** Returns how many blocks of history and of its indexes were read. */
  private long read() {
    return Long.parseLong(
        fixture.ask(
            """
            select heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
            from pg_statio_user_tables where relname = 'run_history'
            """));
  }

  private static List<RunId> ids(RunQueries queries, RunFilter filter, int limit) {
    return queries.list(filter, null, limit).stream().map(row -> row.id()).toList();
  }

  @Test
  void listsOfRareRunsDoNotReadTheOthers() {
    history();

    assertThat(blocksRead(queries -> assertThat(ids(queries, RunFilter.all(), 20)).hasSize(20)))
        .isLessThan(FEW);
    assertThat(
            blocksRead(queries ->
                assertThat(ids(queries, RunFilter.all().state(RunState.FAILED), 20)).hasSize(10)))
        .isLessThan(FEW);
    assertThat(
            blocksRead(queries ->
                assertThat(ids(queries, RunFilter.all().workflow("rare"), 20)).hasSize(10)))
        .isLessThan(FEW);
    fixture.execute("analyze holdfast.run_history");
    assertThat(
            blocksRead(
                queries -> assertThat(ids(queries, RunFilter.all().tag("vip"), 20)).hasSize(5)))
        .isLessThan(FEW);
  }

  @Test
  void countsOfRareRunsDoNotReadTheOthers() {
    history();

    assertThat(
            blocksRead(queries ->
                assertThat(queries.count(RunFilter.all().state(RunState.FAILED)).byState())
                    .isEqualTo(Map.of(RunState.FAILED, 10L))))
        .isLessThan(FEW);
    assertThat(
            blocksRead(queries ->
                assertThat(queries.count(RunFilter.all().workflow("rare")).byState())
                    .isEqualTo(Map.of(RunState.SUCCEEDED, 10L))))
        .isLessThan(FEW);
    fixture.execute("analyze holdfast.run_history");
    assertThat(
            blocksRead(queries ->
                assertThat(queries.count(RunFilter.all().tag("vip")).byState())
                    .isEqualTo(Map.of(RunState.SUCCEEDED, 5L))))
        .isLessThan(FEW);
    assertThat(fixture.store().runs().queries().count(RunFilter.all()))
        .isEqualTo(
            new Counts<>(
                Map.of(RunState.FAILED, 10L, RunState.SUCCEEDED, 10_000L),
                Set.of(RunState.SUCCEEDED)));
  }

  @Test
  void aGraphIsKeptForAStartWhoseTransactionIsOpenForMoreThanAnHour() throws Exception {
    fixture.passTime(Duration.ofDays(41));
    NewRun run = ChainPlanner.run(new RunId(UUID.randomUUID()), definition, 1);
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      fixture.store().runs().intakeIn(connection, false).start(run, null);
      fixture.store().upkeep().tidy(RETENTION);
      fixture.passTime(Duration.ofMinutes(61));
      for (int round = 0; round < 3; round++) {
        fixture.store().upkeep().tidy(RETENTION);
      }
      assertThat(
              fixture.ask(
                  "select retired_at is not null from holdfast.workflow_definition where hash ="
                      + " 'hash'"))
          .isEqualTo("t");
      connection.commit();
    }
    fixture.store().upkeep().tidy(RETENTION);

    assertThat(fixture.store().runs().definitions().find(List.of("hash"))).hasSize(1);
    assertThat(fixture.store().runs().queries().find(run.id()).orElseThrow().hash())
        .isEqualTo("hash");
  }
}
