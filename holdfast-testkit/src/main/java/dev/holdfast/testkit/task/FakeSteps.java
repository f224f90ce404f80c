package dev.holdfast.testkit.task;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.ParallelStepException;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.codec.Encoding;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Durable steps that are executed and not stored. Sleeps are over at once, and signals are those
 * that the tester was given.
 */
final class FakeSteps implements DurableSteps {
  private final TaskTester<?, ?> tester;
  private final Runnable check;
  private final Set<String> inProgress = ConcurrentHashMap.newKeySet();

  FakeSteps(TaskTester<?, ?> tester, Runnable check) {
    this.tester = tester;
    this.check = check;
  }

  @Override
  public <T> @Nullable T run(String name, TypeRef<T> type, Callable<? extends @Nullable T> body)
      throws Exception {
    check.run();
    if (!inProgress.add(Names.text("Step name", name))) {
      throw new ParallelStepException(name);
    }
    try {
      return passed(body.call(), type);
    } finally {
      inProgress.remove(name);
    }
  }

  /** Returns the result as a later attempt would read it. */
  private <T> @Nullable T passed(@Nullable T value, TypeRef<T> type) {
    PayloadCodec codec = tester.codec();
    return value == null ? null : codec.decode(Encoding.storable(codec.encode(value)), type);
  }

  @Override
  public void sleep(String name, Duration time) {
    check.run();
    Names.text("Step name", name);
    tester.slept(Times.notNegative("A sleep", time));
  }

  @Override
  public <T> Optional<T> awaitSignal(String signal, TypeRef<T> type, Duration timeout) {
    return await(signal, timeout)
        .flatMap(sent -> sent.payload())
        .map(text -> tester.codec().decode(text, type));
  }

  @Override
  public boolean awaitSignal(String signal, Duration timeout) {
    return await(signal, timeout).isPresent();
  }

  private Optional<TaskTester.GivenSignal> await(String signal, Duration timeout) {
    check.run();
    Times.notNegative("A timeout", timeout);
    return tester.takeSignal(Names.signal(signal));
  }

  @Override
  public <T> @Nullable T transaction(
      String name, TypeRef<T> type, TransactionBody<? extends T> body) {
    throw new UnsupportedOperationException(
        "There is no database in this test: test step '%s' with a node on the PostgreSQL store."
            .formatted(name));
  }

  @Override
  public boolean patched(String id) {
    check.run();
    Names.text("Patch id", id);
    return true;
  }
}
