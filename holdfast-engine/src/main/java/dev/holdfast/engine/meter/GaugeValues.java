package dev.holdfast.engine.meter;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The values of gauges. A registry keeps the first gauge with a given name and tags, and refers to
 * its value weakly. So the gauge is registered once and kept for as long as the registry exists,
 * and shows the values of all nodes with these tags that have not been closed: one that is started
 * again, or those of many tenants.
 */
final class GaugeValues {
  private static final Map<MeterRegistry, Map<Key, Parts>> VALUES =
      Collections.synchronizedMap(new WeakHashMap<>());

  private record Key(String name, Tags tags) {}

  /** How a gauge shows the values of several nodes. */
  enum Several {
    SUM,
    LARGEST;

    private long of(LongStream values) {
      return this == SUM ? values.sum() : values.max().orElse(0);
    }
  }

  /** The values of all nodes. */
  private record Parts(Several several, Set<Value> values) {
    double inUnits(double scale) {
      return several.of(values.stream().mapToLong(value -> value.number.get())) / scale;
    }
  }

  /** The value of one node. */
  static final class Value {
    private final Parts all;
    private final AtomicLong number = new AtomicLong();

    private Value(Parts all) {
      this.all = all;
      all.values.add(this);
    }

    void set(long value) {
      number.set(value);
    }

    void add(long more) {
      number.addAndGet(more);
    }

    /** Removes it from the gauge. */
    void close() {
      all.values.remove(this);
    }
  }

  private GaugeValues() {}

  /**
   * Returns a value of a gauge, and registers the gauge if necessary.
   *
   * @param unit the unit it is measured in; null for a count
   * @param scale how much of the value makes one unit
   */
  static Value of(
      MeterRegistry registry,
      String name,
      String description,
      @Nullable String unit,
      double scale,
      Tags tags) {
    Several several = unit == null ? Several.SUM : Several.LARGEST;
    Parts parts =
        VALUES
            .computeIfAbsent(registry, fresh -> new ConcurrentHashMap<>())
            .computeIfAbsent(
                new Key(name, tags),
                fresh -> {
                  Parts all = new Parts(several, ConcurrentHashMap.newKeySet());
                  register(registry, name, description, unit, scale, tags, all);
                  return all;
                });
    return new Value(parts);
  }

  private static void register(
      MeterRegistry registry,
      String name,
      String description,
      @Nullable String unit,
      double scale,
      Tags tags,
      Parts parts) {
    new Guarded<>(
        name,
        () ->
            Gauge.builder(name, parts, all -> all.inUnits(scale))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry));
  }
}
