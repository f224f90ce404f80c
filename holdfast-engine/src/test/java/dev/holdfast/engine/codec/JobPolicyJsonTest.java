package dev.holdfast.engine.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.engine.node.Logged;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobPolicyJsonTest {
  private static final JobId JOB = new JobId(new UUID(1, 2));

  @RegisterExtension final Logged log = Logged.by(JobPolicyJson.class);

  private static void assertRoundTrip(JobPolicy policy) {
    assertThat(JobPolicyJson.read(JobPolicyJson.write(policy))).isEqualTo(policy);
  }

  @Test
  void everyKindOfPolicyIsReadBackUnchanged() {
    assertRoundTrip(JobPolicy.NONE);
    assertRoundTrip(
        new JobPolicy(null, Duration.ofMinutes(3), null, Duration.ZERO, CrashPolicy.fail()));
    assertRoundTrip(
        new JobPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)), null, null, null, null));
    assertRoundTrip(
        new JobPolicy(RetryPolicy.linear(Duration.ofSeconds(1)), null, null, null, null));
    assertRoundTrip(
        new JobPolicy(
            RetryPolicy.exponential(Duration.ofMillis(5))
                .maxAttempts(7)
                .jitter(0.1)
                .neverOn("DECLINED")
                .on("BUSY", Backoff.fixed(Duration.ofMinutes(1))),
            Duration.ofDays(2),
            Duration.ofSeconds(20),
            Duration.ofHours(1),
            CrashPolicy.retry(7)));
  }

  @Test
  void everyKindOfBackoffIsReadBackUnchanged() {
    List<Backoff> oneOfEachKind =
        List.of(
            Backoff.fixed(Duration.ofSeconds(1)),
            Backoff.linear(Duration.ofSeconds(2), Duration.ofSeconds(9)),
            Backoff.exponential(Duration.ofSeconds(3), 1.5, Duration.ofHours(1)));
    assertThat(oneOfEachKind)
        .extracting(Object::getClass)
        .as("add the new kind to this test, and to the reader")
        .containsExactlyInAnyOrder(Backoff.class.getPermittedSubclasses());

    for (Backoff backoff : oneOfEachKind) {
      assertRoundTrip(
          new JobPolicy(
              RetryPolicy.DEFAULT.backoff(backoff).on("BUSY", backoff), null, null, null, null));
    }
  }

  @Test
  void everyActionAfterACrashIsReadBackUnchanged() {
    for (CrashPolicy.Action action : CrashPolicy.Action.values()) {
      assertRoundTrip(new JobPolicy(null, null, null, null, new CrashPolicy(action, 2, 3)));
    }
  }

  @Test
  void aRowWithoutAHeartbeatTimeoutHasNone() {
    assertThat(JobPolicyJson.read("{\"timeout\":\"PT1M\"}"))
        .isEqualTo(new JobPolicy(null, Duration.ofMinutes(1), null, null, null));
  }

  @Test
  void aJobWithThePolicyOfItsTaskStoresNone() {
    JobOptions defaults = JobOptions.DEFAULTS.with(o -> o.timeout(Duration.ofSeconds(5)));

    assertThat(JobPolicyJson.write(JobPolicy.difference(defaults, defaults))).isNull();
  }

  @Test
  void aCrashPolicyIsStoredEvenIfItEqualsThatOfTheTask() {
    JobOptions defaults = JobOptions.DEFAULTS.with(o -> o.onCrash(CrashPolicy.fail()));

    assertThat(JobPolicyJson.read(JobPolicyJson.write(JobPolicy.difference(defaults, defaults))))
        .extracting(JobPolicy::crashOrDefault)
        .isEqualTo(CrashPolicy.fail());
  }

  @Test
  void theStoredTextOfACrashPolicyDoesNotDependOnTheNameOfItsConstant() {
    JobPolicy policy = new JobPolicy(null, null, null, null, CrashPolicy.decidedByTask());

    String stored = JobPolicyJson.write(policy);

    assertThat(stored).contains("\"onCrash\":\"ASK\"");
    assertThat(JobPolicyJson.read(stored)).isEqualTo(policy);
  }

  @Test
  void thePolicyOfTheTaskFillsUnsetFields() {
    JobOptions task =
        JobOptions.DEFAULTS.with(
            o -> o.timeout(Duration.ofSeconds(5)).heartbeatTimeout(Duration.ofSeconds(1)));
    JobPolicy own = new JobPolicy(RetryPolicy.NEVER, null, null, null, null);

    assertThat(own.orElse(task))
        .isEqualTo(
            new JobPolicy(
                RetryPolicy.NEVER, Duration.ofSeconds(5), Duration.ofSeconds(1), null, null));
  }

  @Test
  void aRuleOnAnExceptionTypeCannotBeStored() {
    JobPolicy policy =
        new JobPolicy(
            RetryPolicy.DEFAULT.neverOn(IllegalStateException.class), null, null, null, null);

    assertThatThrownBy(() -> JobPolicyJson.write(policy))
        .hasMessageContaining("IllegalStateException")
        .hasMessageContaining("task type");
  }

  @Test
  void anUnknownKindOfBackoffIsAnErrorThatNamesIt() {
    assertThatThrownBy(() ->
            JobPolicyJson.read(
                """
                {"retry":{"maxAttempts":3,"jitter":0.1,"backoff":{"fibonacci":"PT1S"}}}
                """))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fibonacci");
  }

  @Test
  void anUnknownKindOfRetryRuleIsAnErrorThatNamesIt() {
    assertThatThrownBy(() ->
            JobPolicyJson.read(
                """
                {"retry":{"maxAttempts":3,"jitter":0.1,"backoff":{"fixed":"PT1S"},
                 "rules":[{"message":"busy"}]}}
                """))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("message");
  }

  @Test
  void anOlderNodeUsesThePartsOfAPolicyThatItCanRead() {
    String newer =
        """
        {"retry":{"maxAttempts":3,"jitter":0.1,"backoff":{"fibonacci":"PT1S"}},
         "timeout":"PT1M","keepResult":"PT2H","onCrash":"FAIL","maxCrashes":1}
        """;

    assertThat(JobPolicyJson.readAnyhow(newer, JOB))
        .isEqualTo(
            new JobPolicy(
                null, Duration.ofMinutes(1), null, Duration.ofHours(2), CrashPolicy.fail()));
  }

  @Test
  void aCrashPolicyThatAnOlderNodeCannotReadFailsTheJob() {
    assertThat(JobPolicyJson.readAnyhow("{\"onCrash\":\"PARK\",\"maxCrashes\":4}", JOB))
        .isEqualTo(new JobPolicy(null, null, null, null, CrashPolicy.fail()));
  }

  @Test
  void aPolicyThatCannotBeReadIsNamedInAWarning() {
    JobPolicyJson.readAnyhow(
        "{\"retry\":{\"maxAttempts\":3,\"jitter\":0,\"backoff\":{\"fibonacci\":\"PT1S\"}}}", JOB);

    assertThat(log.messages())
        .singleElement()
        .asString()
        .contains(JOB.toString())
        .contains("fibonacci");
  }
}
