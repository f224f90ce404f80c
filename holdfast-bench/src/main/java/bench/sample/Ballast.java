package bench.sample;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup.ClassOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What a version of a package keeps as long as it is loaded, so that a few versions that are not
 * unloaded can be seen in the memory of their process. An application keeps far more.
 */
final class Ballast {
  private static final int HEAP = 256 * 1024;
  private static final int CLASSES = 32;

  private static final byte[] BYTES = new byte[HEAP];
  private static final List<Class<?>> LOADED = define();

  private Ballast() {}

  /** Loads it, once in each class loader, and returns its size. */
  static int load() {
    return BYTES.length + LOADED.size();
  }

  /** Reads a resource of its jar, as applications do, and defines classes from it. */
  private static List<Class<?>> define() {
    List<Class<?>> classes = new ArrayList<>();
    try (InputStream in = Ballast.class.getResourceAsStream("SampleModule.class")) {
      if (in == null) {
        throw new IllegalStateException("SampleModule.class is not in the jar.");
      }
      byte[] code = in.readAllBytes();
      for (int i = 0; i < CLASSES; i++) {
        classes.add(
            MethodHandles.lookup()
                .defineHiddenClass(code, false, ClassOption.STRONG)
                .lookupClass());
      }
    } catch (IOException | IllegalAccessException failure) {
      throw new IllegalStateException("The classes of a version cannot be defined", failure);
    }
    return List.copyOf(classes);
  }
}
