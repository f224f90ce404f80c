package dev.holdfast.checks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs tests in a separate JVM. {@link Mutation#tests} describes how they are named. */
final class SelectedTests {
  static final int SOME_FAILED = 1;
  private static final int NONE_RAN = 2;

  private SelectedTests() {}

  public static void main(String[] tests) {
    int result = NONE_RAN;
    try {
      result = run(tests);
    } catch (Throwable failure) { // Otherwise a test that does not exist would count as failed.
      System.out.println("No test could be run: " + failure);
    }
    // Exits instead of returning, because the mutation may keep threads alive.
    Runtime.getRuntime().halt(result);
  }

  private static int run(String[] tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(tests).map(SelectedTests::selector).toList())
                .configurationParameter("junit.jupiter.execution.timeout.default", "4 m")
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(System.out, true, UTF_8), 5);
    summary.printTo(new PrintWriter(System.out, true, UTF_8));
    if (summary.getTestsStartedCount() == 0) {
      return NONE_RAN;
    }
    return summary.getTotalFailureCount() > 0 ? SOME_FAILED : 0;
  }

  private static DiscoverySelector selector(String test) {
    List<String> method = List.of(test.split("#", -1));
    List<String> classes = List.of(method.get(0).split("/"));
    try {
      Class<?> outer = Class.forName(fullName(classes.get(0)));
      if (classes.size() == 1) {
        return method.size() == 1
            ? selectClass(outer)
            : selectMethod(outer, method(outer, method.get(1)));
      }
      Class<?> nested = nested(outer, classes.get(1));
      return method.size() == 1
          ? selectNestedClass(List.of(outer), nested)
          : selectNestedMethod(List.of(outer), nested, method(nested, method.get(1)));
    } catch (ReflectiveOperationException | IOException missing) {
      throw new IllegalArgumentException("There is no test " + test, missing);
    }
  }

  /** Finds a method by its name alone: a parameterised test has parameters. */
  private static Method method(Class<?> test, String name) throws NoSuchMethodException {
    for (Class<?> each = test; each != null; each = each.getSuperclass()) {
      for (Method method : each.getDeclaredMethods()) {
        if (method.getName().equals(name)) {
          return method;
        }
      }
    }
    throw new NoSuchMethodException(test + " has no method " + name);
  }

  private static String fullName(String simpleName) throws IOException {
    return Checkout.sourceOf(simpleName)
        .map(file -> file.toString().replaceFirst(".*/java/", "").replaceFirst("\\.java$", ""))
        .orElseThrow(() -> new IOException("No source is called " + simpleName))
        .replace('/', '.');
  }

  private static Class<?> nested(Class<?> outer, String simpleName) throws ClassNotFoundException {
    for (Class<?> each = outer; each != null; each = each.getSuperclass()) {
      for (Class<?> nested : Arrays.asList(each.getDeclaredClasses())) {
        if (nested.getSimpleName().equals(simpleName)) {
          return nested;
        }
      }
    }
    throw new ClassNotFoundException(outer + " has no nested class " + simpleName);
  }
}
