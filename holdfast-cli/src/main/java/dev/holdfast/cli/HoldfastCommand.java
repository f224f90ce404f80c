package dev.holdfast.cli;

import dev.holdfast.cli.admin.AuditCommand;
import dev.holdfast.cli.admin.KeyCommand;
import dev.holdfast.cli.admin.ProfileCommand;
import dev.holdfast.cli.admin.SecretCommand;
import dev.holdfast.cli.admin.TenantCommand;
import dev.holdfast.cli.connect.Environment;
import dev.holdfast.cli.demo.DemoCommand;
import dev.holdfast.cli.docs.DocsCommand;
import dev.holdfast.cli.ops.DlqCommand;
import dev.holdfast.cli.ops.EventCommand;
import dev.holdfast.cli.ops.JobCommand;
import dev.holdfast.cli.ops.LeaseCommand;
import dev.holdfast.cli.ops.NodeCommand;
import dev.holdfast.cli.ops.QueueCommand;
import dev.holdfast.cli.ops.ScheduleCommand;
import dev.holdfast.cli.ops.TaskCommand;
import dev.holdfast.cli.ops.TriggerCommand;
import dev.holdfast.cli.packages.InitCommand;
import dev.holdfast.cli.packages.PackageCommand;
import dev.holdfast.cli.run.RunCommand;
import dev.holdfast.cli.server.BackupCommand;
import dev.holdfast.cli.server.ConfigCommand;
import dev.holdfast.cli.server.RestoreCommand;
import dev.holdfast.cli.server.RestoredCommand;
import dev.holdfast.cli.server.ServeCommand;
import dev.holdfast.cli.workflow.CheckCommand;
import dev.holdfast.cli.workflow.GraphCommand;
import dev.holdfast.cli.workflow.WorkflowCommand;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root command, with the options that all commands share. */
@Command(
    name = "holdfast",
    description = "Durable jobs and workflows on PostgreSQL.",
    mixinStandardHelpOptions = true,
    versionProvider = ProgramVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = "See 'holdfast COMMAND --help' for the options of a command.",
    scope = ScopeType.INHERIT,
    sortOptions = false)
final class HoldfastCommand implements Runnable, Environment {
  /** All commands, in the order of the help. */
  static final List<Class<?>> COMMANDS =
      List.of(
          ServeCommand.class,
          RunCommand.class,
          WorkflowCommand.class,
          JobCommand.class,
          DlqCommand.class,
          QueueCommand.class,
          TaskCommand.class,
          ScheduleCommand.class,
          TriggerCommand.class,
          EventCommand.class,
          NodeCommand.class,
          LeaseCommand.class,
          TenantCommand.class,
          KeyCommand.class,
          SecretCommand.class,
          AuditCommand.class,
          ProfileCommand.class,
          ConfigCommand.class,
          BackupCommand.class,
          RestoreCommand.class,
          RestoredCommand.class,
          InitCommand.class,
          PackageCommand.class,
          CheckCommand.class,
          GraphCommand.class,
          DemoCommand.class,
          DocsCommand.class,
          CompletionCommand.class,
          HelpCommand.class);

  private final Map<String, String> variables;

  HoldfastCommand(Map<String, String> variables) {
    this.variables = variables;
  }

  @Override
  public Map<String, String> variables() {
    return variables;
  }

  /** The log levels. */
  enum LogLevel {
    OFF,
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
    logLevel = level;
    LogSetup.level(level.name());
  }

  private @Nullable LogLevel logLevel;

  @Override
  public @Nullable String logLevel() {
    return logLevel == null ? null : logLevel.name();
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }
}
