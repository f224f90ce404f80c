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

/** A command that asks one thing of a database. */
abstract class ClientCommand implements Callable<Integer> {
  static final int DONE = 0;
  static final int FAILED = 1;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  /** What a command may use. */
  record Session(Holdfast client, Store store, PrintWriter out) {

    /** Say something, and whether it is what was wished for. */
    int answer(boolean asWished, String sentence) {
      out.println(sentence);
      out.flush();
      return asWished ? DONE : FAILED;
    }
  }

  /** Checks the arguments, before a database is looked for. */
  void check() {}

  /** An error of the user, to be thrown. */
  final ParameterException wrongUse(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }

  /** What is read from arguments; a value that is not valid is an error of the user. */
  final <T> T checked(Supplier<T> read) {
    try {
      return read.get();
    } catch (IllegalArgumentException wrong) {
      throw wrongUse(String.valueOf(wrong.getMessage()));
    }
  }

  /**
   * Do what the command is for.
   *
   * @return the exit code
   */
  abstract int ask(Session session);

  @Override
  public final Integer call() throws Exception {
    check();
    try (OpenStore open = database.open();
        Holdfast client = HoldfastClient.on(open.store())) {
      return ask(new Session(client, open.store(), spec.commandLine().getOut()));
    }
  }

  /** Reads a job id, or says what one looks like. */
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

  /** Reads the name of a queue, or says which are good. */
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
