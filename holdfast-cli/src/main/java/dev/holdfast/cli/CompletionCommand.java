package dev.holdfast.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script that completes commands and options. */
@Command(
    name = "completion",
    description = "Print a script that lets a shell complete commands and options.",
    footer = {
      "bash: add 'source <(holdfast completion bash)' to ~/.bashrc.",
      "zsh: add 'source <(holdfast completion zsh)' to ~/.zshrc."
    })
final class CompletionCommand implements Callable<Integer> {

  /** The shells. The script of bash also works in zsh, where it turns on what it needs. */
  enum Shell {
    BASH,
    ZSH
  }

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
  @SuppressWarnings("NullAway.Init")
  private Shell shell;

  @Override
  public Integer call() {
    String script = AutoComplete.bash("holdfast", spec.root().commandLine());
    spec.commandLine().getOut().println("# Completion of holdfast for %s.".formatted(shell));
    spec.commandLine().getOut().println(script);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
