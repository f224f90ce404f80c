package dev.holdfast.postgres.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaneMemoryTest {
  private final LaneMemory<Object> memory = new LaneMemory<>(Object::new);

  private Object of(String queue, String... tasks) {
    return memory.of(queue, List.of(tasks), Set.of());
  }

  @Test
  void breakersThatOpenAndCloseDoNotGrowTheMemory() {
    Object common = of("q", "a", "b");

    for (int list = 0; list < 10_000; list++) {
      of("q", "a", "b", "task-" + list);
      assertThat(of("q", "a", "b")).isSameAs(common);
    }

    assertThat(memory.size()).isEqualTo(LaneMemory.MOST_LISTS);
  }

  @Test
  void everyQueueIsRemembered() {
    List<Object> first = IntStream.range(0, 10_000).mapToObj(n -> of("q-" + n, "a")).toList();
    List<Object> again = IntStream.range(0, 10_000).mapToObj(n -> of("q-" + n, "a")).toList();

    assertThat(again).isEqualTo(first);
  }

  @Test
  void lanesWithDifferentScopesAreSeparate() {
    Object one = of("q", "a");

    assertThat(of("q", "b")).isNotSameAs(one);
    assertThat(memory.of("q", List.of("a"), Set.of("stack"))).isNotSameAs(one);
  }
}
