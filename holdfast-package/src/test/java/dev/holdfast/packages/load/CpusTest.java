package dev.holdfast.packages.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CpusTest {
  private static final List<Integer> FOUR = List.of(0, 1, 4, 7);

  @Test
  void listsOfTheSystemAreRead() {
    assertThat(Cpus.read("\t0-1,4,7\n")).isEqualTo(FOUR);
    assertThat(Cpus.read("3")).containsExactly(3);
  }

  @Test
  void aProcessGetsHalfOfTheCpusByDefaultAndAtLeastOne() {
    assertThat(Cpus.ofTenant(FOUR, 0, 0)).containsExactly(0, 1);
    assertThat(Cpus.ofTenant(List.of(5), 3, 0)).containsExactly(5);
  }

  @Test
  void consecutiveTenantsShareNoCpuWhileThereAreEnough() {
    assertThat(Cpus.ofTenant(FOUR, 0, 1)).containsExactly(0);
    assertThat(Cpus.ofTenant(FOUR, 1, 1)).containsExactly(1);
    assertThat(Cpus.ofTenant(FOUR, 3, 1)).containsExactly(7);
    assertThat(Cpus.ofTenant(FOUR, 4, 1)).containsExactly(0);
  }

  @Test
  void aProcessGetsNoMoreCpusThanThereAre() {
    assertThat(Cpus.ofTenant(FOUR, 1, 9)).containsExactlyInAnyOrder(0, 1, 4, 7);
  }
}
