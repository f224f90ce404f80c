package dev.holdfast.cli;

import dev.holdfast.cli.demo.DemoCommand;
import dev.holdfast.cli.ops.BeatsCommand;
import dev.holdfast.cli.ops.CancelCommand;
import dev.holdfast.cli.ops.EnqueueCommand;
import dev.holdfast.cli.ops.JobCommand;
import dev.holdfast.cli.ops.JobsCommand;
import dev.holdfast.cli.ops.LeaseCommand;
import dev.holdfast.cli.ops.LeasesCommand;
import dev.holdfast.cli.ops.LimitCommand;
import dev.holdfast.cli.ops.NodeCommand;
import dev.holdfast.cli.ops.NodesCommand;
import dev.holdfast.cli.ops.PauseCommand;
import dev.holdfast.cli.ops.PublishCommand;
import dev.holdfast.cli.ops.PurgeCommand;
import dev.holdfast.cli.ops.QueuesCommand;
import dev.holdfast.cli.ops.RequeueCommand;
import dev.holdfast.cli.ops.ResumeCommand;
import dev.holdfast.cli.ops.RetryCommand;
import dev.holdfast.cli.ops.ScheduleCommand;
import dev.holdfast.cli.ops.SchedulesCommand;
import dev.holdfast.cli.ops.TasksCommand;
import dev.holdfast.cli.ops.TriggerCommand;
import dev.holdfast.cli.ops.TriggersCommand;
import dev.holdfast.cli.run.RunCommand;
import dev.holdfast.cli.server.ConfigCommand;
import dev.holdfast.cli.server.ServeCommand;
import dev.holdfast.cli.workflow.CheckCommand;
import dev.holdfast.cli.workflow.GraphCommand;
import dev.holdfast.cli.workflow.WorkflowsCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command, with the options that all commands share. */
@Command(
    name = "holdfast",
    description = "Durable jobs for Java on the PostgreSQL you already run.",
    mixinStandardHelpOptions = true,
    versionProvider = ProgramVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = "See 'holdfast COMMAND --help' for the options of a command.",
    scope = ScopeType.INHERIT,
    sortOptions = false,
    subcommands = {
      ServeCommand.class,
      DemoCommand.class,
      NodesCommand.class,
      BeatsCommand.class,
      QueuesCommand.class,
      JobsCommand.class,
      JobCommand.class,
      NodeCommand.class,
      CancelCommand.class,
      RequeueCommand.class,
      RetryCommand.class,
      PurgeCommand.class,
      EnqueueCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      LimitCommand.class,
      TasksCommand.class,
      SchedulesCommand.class,
      ScheduleCommand.class,
      TriggersCommand.class,
      TriggerCommand.class,
      PublishCommand.class,
      LeasesCommand.class,
      LeaseCommand.class,
      WorkflowsCommand.class,
      CheckCommand.class,
      GraphCommand.class,
      RunCommand.class,
      ConfigCommand.class,
      HelpCommand.class
    })
final class HoldfastCommand implements Runnable {

  /** The log levels. */
  enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
  }

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of a failure.")
  private boolean verbose;

  boolean verbose() {
    return verbose;
  }

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      scope = ScopeType.INHERIT,
      description =
          "Log messages of this level and above to standard error: ${COMPLETION-CANDIDATES}."
              + " Defaults to WARN.")
  void logLevel(LogLevel level) {
    LogSetup.level(level.name());
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
