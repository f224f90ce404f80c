package dev.holdfast.cli.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.JobSnapshot;
import dev.holdfast.engine.store.LeaseSnapshot;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.PastHeartbeat;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonTest {
  private static final JobId ID = JobId.parse("0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e");

  @Test
  void anIdIsPrintedAsText() {
    assertThat(printed(List.of(ID))).isEqualTo("[\"%s\"]".formatted(ID));
  }

  @Test
  void aJsonPayloadIsPrintedAsJson() {
    assertThat(printed(job("{\"n\": 12345678901234567890.5, \"to\": [1]}", "\"done\"")))
        .contains("\"payload\":{\"n\":12345678901234567890.5,\"to\":[1]}", "\"result\":\"done\"");
  }

  @Test
  void aPayloadOfAnotherCodecIsPrintedAsText() {
    assertThat(printed(job("<to>ada</to>", null)))
        .contains("\"payload\":\"<to>ada</to>\"", "\"result\":null");
  }

  @Test
  void aJobHasThePropertiesOfTheApi() {
    assertThat(printed(job("{}", null)))
        .isEqualTo(
            """
            {"id":"0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e","task":"mail::send","queue":"mail",\
            "state":"READY","priority":4,"payload":{},"result":null,"tags":[],"uniqueKey":null,\
            "attempt":0,"fencingToken":0,"node":null,"stack":null,"source":null,"parent":null,"progress":null,"log":[],\
            "cancelRequested":false,"createdAt":"1970-01-01T00:00:00Z",\
            "runAt":"1970-01-01T00:00:00Z","startBy":null,"startedAt":null,"endedAt":null,\
            "failures":[],"run":null}\
            """);
  }

  @Test
  void aLeaseHasThePropertiesOfTheApi() {
    LeaseInfo lease =
        new LeaseSnapshot(
            "k", LeaseState.CLAIMED, "ada", 7, 1, Instant.EPOCH, Duration.ofSeconds(3), null, null);
    assertThat(printed(lease))
        .isEqualTo(
            """
            {"key":"k","state":"CLAIMED","holder":"ada","fencingToken":7,"attempt":1,\
            "acquiredAt":"1970-01-01T00:00:00Z","remaining":"PT3S","endedAt":null,"detail":null,\
            "held":true}\
            """);
  }

  @Test
  void aNodeHasExactlyThePropertiesOfTheApi() {
    NodeInfo node =
        new NodeSnapshot(
            new NodeRegistration(
                ID.value(),
                "ada",
                null,
                "host",
                12,
                "1.0",
                Timeouts.of(Duration.ofSeconds(9)),
                Set.of("mail"),
                Set.of("mail::send"),
                8,
                "blue",
                Set.of("blue"),
                Set.of("worker"),
                Advice.NONE),
            true,
            99,
            Instant.EPOCH,
            Duration.ofSeconds(2),
            3,
            new Modes(NodeMode.FULL, Map.of("mail::*", NodeMode.DISABLED)),
            new Lost(1, List.of()));
    assertThat(printed(List.of(node)))
        .isEqualTo(
            """
            [{"id":"ada","name":null,"incarnation":"0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e",\
            "alive":true,"host":"host","pid":12,"version":"1.0",\
            "startedAt":"1970-01-01T00:00:00Z","sinceLastHeartbeat":"PT2S","mode":"full",\
            "modeOverrides":{"mail::*":"disabled"},"stack":"blue","serves":["blue"],\
            "roles":["worker"],"queues":["mail"],"tasks":["mail::send"],"running":3,\
            "capacity":8,"lostSlots":1}]\
            """);
  }

  @Test
  void aHeartbeatHasExactlyThePropertiesOfTheApi() {
    NodeInfo.Heartbeat beat =
        new PastHeartbeat("ada", ID.value(), Set.of("worker"), "host", 12, Instant.EPOCH);
    assertThat(printed(beat))
        .isEqualTo(
            """
            {"node":"ada","incarnation":"0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e","host":"host",\
            "pid":12,"at":"1970-01-01T00:00:00Z"}\
            """);
  }

  @Test
  void textThatIsNotJsonIsRejected() {
    assertThat(Json.read("{\"a\": 1}").get("a").intValue()).isEqualTo(1);
    for (String wrong : List.of("{", "a", "{} {}", "'a'")) {
      assertThatThrownBy(() -> Json.read(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'%s' is not JSON".formatted(wrong));
    }
  }

  private static String printed(Object value) {
    StringWriter text = new StringWriter();
    Json.print(value, new PrintWriter(text, true));
    return text.toString().replaceAll("\\s+", "");
  }

  private static Job job(String payload, @Nullable String result) {
    return new JobSnapshot(
        ID,
        "mail::send",
        "mail",
        JobState.READY,
        4,
        payload,
        result,
        Set.of(),
        null,
        0,
        0,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        false,
        Instant.EPOCH,
        Instant.EPOCH,
        null,
        null,
        null,
        List.of(),
        null);
  }
}
