package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.engine.codec.JobCause;
import dev.holdfast.engine.codec.JobPolicyJson;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class StartedByTest {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final String TASK = StarterTask.of("orders::fulfil");
  private static final String POLICY = "{\"timeout\":\"PT5S\"}";

  private static JsonNode json(String text) {
    return MAPPER.readTree(text.replace('\'', '"'));
  }

  private static @Nullable String startedBy(@Nullable String policy, String payload, String input) {
    return StartedBy.text(JobCause.read(policy, payload).orElse(null), input);
  }

  @Test
  void aScheduleIsKeptWithThePolicyOfItsJobs() {
    String policy = JobCause.ofSchedule(TASK, POLICY, "nightly", Instant.EPOCH);

    assertThat(JobPolicyJson.read(policy).timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(StartedBy.fields(startedBy(policy, "1", "1"), json("1")))
        .isEqualTo(json("{'schedule':{'name':'nightly','due':'1970-01-01T00:00:00Z'}}"));
  }

  @Test
  void jobsOfOtherTasksDoNotHaveIt() {
    assertThat(JobCause.ofSchedule("mail::send", POLICY, "nightly", null)).isEqualTo(POLICY);
    assertThat(JobCause.ofTrigger("mail::send", "paid", "order.paid", null)).isNull();
    assertThat(startedBy(POLICY, "1", "1")).isNull();
    assertThat(startedBy(null, "1", "1")).isNull();
    assertThat(startedBy("not JSON", "1", "1")).isNull();
  }

  @Test
  void thePayloadOfAnEventIsStoredOnlyIfItIsNotTheInput() {
    String policy = JobCause.ofTrigger(TASK, "paid", "order.paid", json("'o-1'"));
    String same = startedBy(policy, "{\"id\":1}", "{\"id\":1}");
    String other = startedBy(policy, "{\"id\":1,\"bank\":2}", "{\"id\":1}");

    assertThat(same).doesNotContain("payload");
    assertThat(StartedBy.fields(same, json("{'id':1}")))
        .isEqualTo(
            json(
                "{'trigger':{'name':'paid'},'event':{'name':'order.paid','subject':'o-1','payload':{'id':1}}}"));
    assertThat(StartedBy.fields(other, json("{'id':1}")).at("/event/payload"))
        .isEqualTo(json("{'id':1,'bank':2}"));
  }

  @Test
  void aRunWithAnotherInputKeepsThePayloadOfTheEvent() {
    String policy = JobCause.ofTrigger(TASK, "paid", "order.paid", null);
    String stored = startedBy(policy, "{\"id\":1}", "{\"id\":1}");

    String kept = StartedBy.withPayload(stored, "{\"id\":1}");

    assertThat(StartedBy.fields(kept, json("{'id':2}")).at("/event/payload"))
        .isEqualTo(json("{'id':1}"));
    assertThat(StartedBy.withPayload(null, "1")).isNull();
  }

  @Test
  void reservedFieldsReplaceThoseOfTheInput() {
    ContextMerge merge = new ContextMerge(FakeRun.ID, "test::flow", json("{'event':1,'a':2}"));
    merge.reserve(StartedBy.fields("{\"event\":{\"name\":\"paid\"},\"a\":3}", json("4")));

    assertThat(merge.context().get("event")).isEqualTo(json("{'name':'paid','payload':4}"));
    assertThat(merge.context().get("a")).isEqualTo(json("2"));
  }
}
