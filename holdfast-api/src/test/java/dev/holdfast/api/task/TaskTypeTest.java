package dev.holdfast.api.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.run.TaskFailure;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskTypeTest {
  record Welcome(String email) {}

  private static final TaskType<Welcome, Void> WELCOME =
      TaskType.of("email::welcome", Welcome.class).with(o -> o.queue("mail").priority(7));

  @Test
  void aRequestUsesTheDefaultsOfItsTaskAndMayOverrideThem() {
    JobRequest<Welcome, Void> plain = JobRequest.of(WELCOME, new Welcome("a"));
    JobRequest<Welcome, Void> urgent =
        JobRequest.of(WELCOME, new Welcome("a"), o -> o.priority(9).tags("vip"));

    assertThat(plain.options().queue()).isEqualTo("mail");
    assertThat(plain.options().priority()).isEqualTo(7);
    assertThat(urgent.options().queue()).isEqualTo("mail");
    assertThat(urgent.options().priority()).isEqualTo(9);
    assertThat(urgent.options().tags()).containsExactly("vip");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Email", "a::", "::a", "a:::b", "a b", "a.b", "é"})
  void anInvalidTaskNameIsRejectedWithTheNameAndAnExample(String name) {
    assertThatThrownBy(() -> TaskType.of(name, Welcome.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "'")
        .hasMessageContaining("email::send");
  }

  @Test
  void aTaskTypeCannotHaveAUniqueKey() {
    assertThatThrownBy(() -> WELCOME.with(o -> o.unique(UniqueKey.whileActive("x"))))
        .hasMessageContaining("email::welcome");
  }

  @Test
  void invalidOptionsAreRejectedWithTheValueAndTheRemedy() {
    assertThatThrownBy(() -> JobOptions.DEFAULTS.with(o -> o.priority(-1)))
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> JobOptions.DEFAULTS.with(o -> o.startWithin(Duration.ZERO)))
        .hasMessageContaining("positive");
    assertThatThrownBy(() -> UniqueKey.within("k", Duration.ofSeconds(-5)))
        .hasMessageContaining("-5 s");
    assertThatThrownBy(() -> new TaskFailure("not a code", "x"))
        .hasMessageContaining("'not a code'");
    assertThatThrownBy(() -> Backoff.exponential(Duration.ofSeconds(1), 0.5, Duration.ofHours(1)))
        .hasMessageContaining("0.5");
  }

  @Test
  void idsSortAsTheDatabaseSortsThem() {
    JobId low = new JobId(new UUID(0x7fffffffffffffffL, 0));
    JobId high = new JobId(new UUID(0x8000000000000000L, 0));
    JobId[] ids = {high, low};

    Arrays.sort(ids);

    assertThat(ids).containsExactly(low, high);
  }
}
