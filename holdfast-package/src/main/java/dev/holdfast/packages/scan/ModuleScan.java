package dev.holdfast.packages.scan;

import dev.holdfast.api.internal.ProblemCollector;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.workflow.InvalidWorkflowException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the modules of class paths and lets them add what they have. Whatever their code throws
 * becomes a finding.
 */
public final class ModuleScan {
  /** Bounds the scan, because an unreadable class path fails at every try. */
  private static final int MOST_TRIES = 1_000;

  private final List<LoadedModule> modules = new ArrayList<>();
  private final Set<Finding> findings = new LinkedHashSet<>();
  private final Set<String> invalid = new LinkedHashSet<>();

  /** Returns the modules that were found. */
  public List<LoadedModule> modules() {
    return modules;
  }

  /** Returns what is wrong with what was loaded. */
  Set<Finding> findings() {
    return findings;
  }

  /** Returns the names of the workflows that are not valid. */
  Set<String> invalid() {
    return invalid;
  }

  /** Loads the modules of a class path. */
  public void load(ModulePath path) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(path.loader());
    try {
      int known = modules.size() + findings.size();
      List<IllegalArgumentException> problems = ProblemCollector.during(() -> configureAll(path));
      problems.forEach(problem -> add("class path " + path, problem));
      if (modules.size() + findings.size() == known) {
        findings.add(
            Finding.error(
                "class path " + path,
                "No module was found: add a class that implements %s, and name it in META-INF/services/%s."
                    .formatted(TaskModule.class.getName(), TaskModule.class.getName()),
                null));
      }
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private void configureAll(ModulePath path) {
    Iterator<TaskModule> found = ServiceLoader.load(TaskModule.class, path.loader()).iterator();
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      TaskModule module;
      try {
        if (!found.hasNext()) {
          return;
        }
        module = found.next();
      } catch (ServiceConfigurationError | LinkageError failure) {
        add("class path " + path, failure);
        continue;
      }
      LoadedModule loaded =
          new LoadedModule("%s in %s".formatted(module.getClass().getName(), path));
      modules.add(loaded);
      configure(module, loaded);
    }
  }

  /** User code may throw anything; an error of the JVM itself still ends the command. */
  @SuppressWarnings("IllegalCatch")
  private void configure(TaskModule module, LoadedModule loaded) {
    try {
      module.configure(loaded);
    } catch (VirtualMachineError fatal) {
      throw fatal;
    } catch (Exception | Error failure) {
      add("module " + loaded.name(), failure);
    }
  }

  private void add(String subject, Throwable failure) {
    Optional<InvalidWorkflowException> cause = invalidWorkflow(failure);
    if (cause.isPresent()) {
      InvalidWorkflowException workflow = cause.get();
      invalid.add(workflow.workflow());
      workflow
          .problems()
          .forEach(problem ->
              findings.add(
                  Finding.error("workflow " + workflow.workflow(), problem, place(workflow))));
    } else {
      Throwable root = root(failure);
      findings.add(Finding.error(subject, describe(root), place(root)));
    }
  }

  private static Optional<InvalidWorkflowException> invalidWorkflow(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidWorkflowException invalid) {
        return Optional.of(invalid);
      }
    }
    return Optional.empty();
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static String describe(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return switch (failure) {
      case ClassNotFoundException missing ->
          "Class %s is not on the class path: add the jar that contains it.".formatted(message);
      case NoClassDefFoundError missing when !message.contains(" ") ->
          "Class %s is not on the class path: add the jar that contains it."
              .formatted(message.replace('/', '.'));
      case ServiceConfigurationError wrong -> "It could not be loaded: %s.".formatted(message);
      default -> "It failed with %s: %s".formatted(failure.getClass().getName(), message);
    };
  }

  /** Returns the line of user code that failed, if the stack trace has one. */
  private static @Nullable String place(Throwable failure) {
    return Arrays.stream(failure.getStackTrace())
        .filter(frame -> isUserCode(frame.getClassName()))
        .findFirst()
        .map(frame ->
            "%s.%s(%s:%d)"
                .formatted(
                    frame.getClassName(),
                    frame.getMethodName(),
                    frame.getFileName(),
                    frame.getLineNumber()))
        .orElse(null);
  }

  private static boolean isUserCode(String className) {
    return !className.startsWith("dev.holdfast.api.")
        && !className.startsWith("dev.holdfast.packages.")
        && !className.startsWith("java.")
        && !className.startsWith("jdk.")
        && !className.startsWith("sun.");
  }
}
