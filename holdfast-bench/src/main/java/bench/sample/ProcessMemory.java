package bench.sample;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What a process uses after garbage collections.
 *
 * @param versions how many versions of the package have run in it and are still loaded
 * @param heap the bytes of the heap that are used
 * @param metaspace the bytes that classes use
 */
public record ProcessMemory(int versions, long heap, long metaspace) {
  /** The class loaders of all versions, which share nothing but the classes of the JDK. */
  private static final String LOADERS = "bench.sample.loaders";

  private static final int MOST_TRIES = 100;
  private static final int COLLECTIONS = 3;
  private static final long PAUSE_MILLIS = 100;

  /** Notes that a version has run in this process. */
  static void note(ClassLoader version) {
    Collection<WeakReference<ClassLoader>> all = loaders();
    if (all.stream().noneMatch(known -> known.refersTo(version))) {
      all.add(new WeakReference<>(version));
    }
  }

  /** Among the properties of the system, because a static field belongs to one version. */
  @SuppressWarnings("unchecked")
  private static Collection<WeakReference<ClassLoader>> loaders() {
    return (Collection<WeakReference<ClassLoader>>)
        System.getProperties()
            .computeIfAbsent(
                LOADERS, fresh -> new ConcurrentLinkedQueue<WeakReference<ClassLoader>>());
  }

  private static int loaded() {
    return (int) loaders().stream().filter(version -> !version.refersTo(null)).count();
  }

  /**
   * Measures this process, as soon as all versions are unloaded but one, or after ten seconds: a
   * version ends its node before it is unloaded.
   */
  public static ProcessMemory measure() throws InterruptedException {
    System.gc();
    for (int i = 0; i < MOST_TRIES && loaded() > 1; i++) {
      Thread.sleep(PAUSE_MILLIS);
      System.gc();
    }
    long heap = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      Thread.sleep(PAUSE_MILLIS);
      System.gc();
      // The smallest: other threads of the process may create objects at any time.
      heap = Math.min(heap, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return new ProcessMemory(loaded(), heap, metaspaceUsed());
  }

  private static long metaspaceUsed() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getName().equals("Metaspace"))
        .map(MemoryPoolMXBean::getUsage)
        .mapToLong(usage -> usage.getUsed())
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("This JVM reports no metaspace."));
  }

  /** Returns this as the result of a job. */
  String text() {
    return "%d %d %d".formatted(versions, heap, metaspace);
  }

  /** Reads the result of a job. */
  public static ProcessMemory parse(String text) {
    String[] numbers = text.split(" ", -1);
    return new ProcessMemory(
        Integer.parseInt(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
  }
}
