package dev.holdfast.server.testing;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;

/** A module that a server finds on the class path. */
public final class ClassPathModule implements TaskModule {
  private static final TaskType<String, String> GREET =
      TaskType.of("found::greet", String.class, String.class);

  @Override
  public void configure(Binder binder) {
    binder.handle(GREET, (name, context) -> "Hello " + name);
  }
}
