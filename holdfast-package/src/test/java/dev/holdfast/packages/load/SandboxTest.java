package dev.holdfast.packages.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Which user the processes with code of packages have. */
class SandboxTest {
  private static final Sandbox NONE = new Sandbox(false, false, true);
  private static final Sandbox OTHER_USER = new Sandbox(false, true, true);

  private static String status(int real, int effective) {
    return "Name:\tjava\nPPid:\t1\nUid:\t%1$d\t%2$d\t%2$d\t%2$d\nGid:\t0\t0\t0\t0\n"
        .formatted(real, effective);
  }

  @Test
  void theNumberOfTheUserDecidesWhetherItIsRootAndNotItsName() {
    assertThat(Sandbox.isRoot(status(0, 0), "holdfast")).isTrue();
    assertThat(Sandbox.isRoot(status(10_001, 10_001), "root")).isFalse();
  }

  @Test
  void theEffectiveUserCounts() {
    assertThat(Sandbox.isRoot(status(10_001, 0), "holdfast")).isTrue();
    assertThat(Sandbox.isRoot(status(0, 10_001), "root")).isFalse();
  }

  @Test
  void theNameOfTheUserCountsWhereThereIsNoNumber() {
    assertThat(Sandbox.isRoot("", "root")).isTrue();
    assertThat(Sandbox.isRoot("", "holdfast")).isFalse();
  }

  @Test
  void noProcessWithCodeOfAPackageIsStartedAsRoot() {
    assertThatThrownBy(() -> Sandbox.requireNotRoot(true, NONE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("run it as another user, or install setpriv");
    assertThatCode(() -> Sandbox.requireNotRoot(true, OTHER_USER)).doesNotThrowAnyException();
    assertThatCode(() -> Sandbox.requireNotRoot(false, NONE)).doesNotThrowAnyException();
  }
}
