package dev.holdfast.cli.ops;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobId;
import dev.holdfast.cli.database.DatabaseOptions;
import dev.holdfast.cli.database.OpenStore;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.store.Store;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The base of the commands that open a store, make one request and print the result. */
public abstract class ClientCommand implements Callable<Integer> {
  protected static final int DONE = 0;
  protected static final int FAILED = 1;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  /** What a command works with: a client, the store, and the writer for its output. */
  protected record Session(Holdfast client, Store store, PrintWriter out) {

    /** Prints a sentence and returns the exit code. */
    public int report(boolean done, String sentence) {
      out.println(sentence);
      out.flush();
      return done ? DONE : FAILED;
    }
  }

  /** Validates the arguments before the database is opened. */
  protected void check() {}

  /** Returns the exception that reports invalid arguments, with exit code 2. */
  protected final ParameterException wrongUse(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }

  /** Returns a value read from the arguments; an invalid value is reported as wrong use. */
  protected final <T> T checked(Supplier<T> read) {
    try {
      return read.get();
    } catch (IllegalArgumentException wrong) {
      throw wrongUse(String.valueOf(wrong.getMessage()));
    }
  }

  /**
   * Executes the command.
   *
   * @return the exit code
   */
  protected abstract int ask(Session session);

  @Override
  public final Integer call() throws Exception {
    check();
    try (OpenStore open = database.open();
        Holdfast client = HoldfastClient.on(open.store())) {
      return ask(new Session(client, open.store(), spec.commandLine().getOut()));
    }
  }

  /** Reads a job id; the error for an invalid id shows a valid one. */
  static final class JobIdConverter implements ITypeConverter<JobId> {
    @Override
    public JobId convert(String text) {
      try {
        return JobId.parse(text);
      } catch (IllegalArgumentException wrong) {
        throw new TypeConversionException(String.valueOf(wrong.getMessage()));
      }
    }
  }

  /** Reads a queue name; the error for an invalid name lists the allowed characters. */
  static final class QueueConverter implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      try {
        return Names.queue(text);
      } catch (IllegalArgumentException wrong) {
        throw new TypeConversionException(String.valueOf(wrong.getMessage()));
      }
    }
  }
}
