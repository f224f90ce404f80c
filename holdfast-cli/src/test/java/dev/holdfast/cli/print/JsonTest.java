package dev.holdfast.cli.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonTest {
  private static final JobId ID = JobId.parse("0197a3c2-5b1e-7c4d-9a31-0f3c2b1a4d5e");

  @Test
  void anIdIsText() {
    assertThat(printed(List.of(ID))).isEqualTo("[\"%s\"]".formatted(ID));
  }

  @Test
  void aPayloadIsTheJsonThatItIs() {
    assertThat(printed(job("{\"n\": 12345678901234567890.5, \"to\": [1]}", "\"done\"")))
        .contains("\"payload\":{\"n\":12345678901234567890.5,\"to\":[1]}", "\"result\":\"done\"");
  }

  @Test
  void aPayloadOfAnotherCodecIsText() {
    assertThat(printed(job("<to>ada</to>", null)))
        .contains("\"payload\":\"<to>ada</to>\"", "\"result\":null");
  }

  @Test
  void onlyJsonIsRead() {
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
    return new Job(
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
        false,
        Instant.EPOCH,
        Instant.EPOCH,
        null,
        null,
        null,
        List.of());
  }
}
