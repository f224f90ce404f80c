package dev.holdfast.engine.rule;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Maps task name patterns to settings; the first pattern that matches wins. */
public final class TaskPatternMap<T> {
  private record Setting<T>(TaskPattern pattern, T value) {}

  private final List<Setting<T>> settings = new ArrayList<>();

  public void add(String pattern, T value) {
    settings.add(new Setting<>(TaskPattern.of(pattern), value));
  }

  Optional<T> of(String task) {
    return settings.stream()
        .filter(setting -> setting.pattern.matches(task))
        .findFirst()
        .map(Setting::value);
  }

  /** Returns the settings of the given tasks; tasks without settings are left out. */
  public Map<String, T> of(Collection<String> tasks) {
    Map<String, T> found = new TreeMap<>();
    tasks.forEach(task -> of(task).ifPresent(value -> found.put(task, value)));
    return found;
  }
}
