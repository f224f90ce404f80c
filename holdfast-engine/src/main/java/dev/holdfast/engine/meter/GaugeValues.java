package dev.holdfast.engine.meter;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The values of gauges, one for each registry and gauge for as long as the registry exists. A
 * registry keeps the first gauge with a given name and tags, and refers to its value weakly: if
 * each node brought a new value, the gauges of a node that is started again in the same process
 * would show those of the first one until they are collected, and NaN afterwards.
 */
final class GaugeValues {
  private static final Map<MeterRegistry, Map<Key, AtomicLong>> VALUES =
      Collections.synchronizedMap(new WeakHashMap<>());

  private record Key(String name, Tags tags) {}

  private GaugeValues() {}

  /**
   * Returns the value of a gauge, and registers the gauge if necessary.
   *
   * @param unit the unit it is measured in; null for a count
   * @param scale how much of the value makes one unit
   */
  static AtomicLong of(
      MeterRegistry registry,
      String name,
      String description,
      @Nullable String unit,
      double scale,
      Tags tags) {
    AtomicLong value =
        VALUES
            .computeIfAbsent(registry, fresh -> new ConcurrentHashMap<>())
            .computeIfAbsent(new Key(name, tags), fresh -> new AtomicLong());
    new Guarded<>(
        name,
        () ->
            Gauge.builder(name, value, number -> number.get() / scale)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry));
    return value;
  }
}
