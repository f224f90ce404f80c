package dev.holdfast.packages.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The CPUs of the machine, and which of them the process of a tenant gets. */
final class Cpus {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String ALLOWED = "Cpus_allowed_list:";

  private Cpus() {}

  /** Returns the numbers of the CPUs that this process may use; empty if they are unknown. */
  static List<Integer> allowed() {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(ALLOWED)) {
          return read(line.substring(ALLOWED.length()));
        }
      }
    } catch (IOException | NumberFormatException unknown) {
      return List.of(); // Not Linux.
    }
    return List.of();
  }

  /** Reads a list such as {@code 0-2,5}. */
  static List<Integer> read(String list) {
    List<Integer> cpus = new ArrayList<>();
    for (String range : list.strip().split(",", -1)) {
      int dash = range.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
      int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
      for (int cpu = first; cpu <= last; cpu++) {
        cpus.add(cpu);
      }
    }
    return cpus;
  }

  /**
   * Chooses CPUs. Tenants with consecutive numbers share none as long as there are enough.
   *
   * @param count how many; 0 for half of all, but at least one
   */
  static List<Integer> ofTenant(List<Integer> all, int tenant, int count) {
    int wanted = count > 0 ? Math.min(count, all.size()) : Math.max(1, all.size() / 2);
    int first = Math.floorMod((long) tenant * wanted, all.size());
    List<Integer> chosen = new ArrayList<>();
    for (int i = 0; i < wanted; i++) {
      chosen.add(all.get((first + i) % all.size()));
    }
    return chosen;
  }
}
