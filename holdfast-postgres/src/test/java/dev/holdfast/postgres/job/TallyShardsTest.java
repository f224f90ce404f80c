package dev.holdfast.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TallyShardsTest {
  private final TallyShards shards = new TallyShards();

  @Test
  void concurrentWritersHaveDifferentShards() {
    try (TallyShards.Shard one = shards.take();
        TallyShards.Shard other = shards.take()) {
      assertThat(one.id()).isNotEqualTo(other.id());
    }
  }

  @Test
  void aWriterUsesTheShardOfTheOneBeforeIt() {
    UUID first;
    try (TallyShards.Shard shard = shards.take()) {
      first = shard.id();
    }

    try (TallyShards.Shard shard = shards.take()) {
      assertThat(shard.id()).isEqualTo(first);
    }
  }

  @Test
  void aShardIsUsedForALimitedNumberOfWrites() {
    Set<UUID> ids = new HashSet<>();
    for (int i = 0; i < 3 * TallyShards.MOST_WRITES; i++) {
      try (TallyShards.Shard shard = shards.take()) {
        ids.add(shard.id());
      }
    }

    assertThat(ids).hasSize(3);
  }

  @Test
  void writersThatAreRarelyConcurrentChangeTheirShardToo() {
    Set<UUID> ids = new HashSet<>();
    for (int i = 0; i < 3 * TallyShards.MOST_WRITES; i++) {
      ids.add(shards.next());
    }

    assertThat(ids).hasSize(3);
  }

  @Test
  void twoChoosersNeverShareAShard() {
    assertThat(shards.next()).isNotEqualTo(new TallyShards().next());
  }
}
