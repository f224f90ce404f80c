package dev.holdfast.packages.scan;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.workflow.StepDefinition;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.workflow.Graph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The result of a check of modules.
 *
 * @param workflows how many workflows there are
 * @param graphs the graphs of those that are valid, by name
 */
public record WorkflowReport(int workflows, Map<String, Graph> graphs, List<Finding> findings) {

  public long count(Finding.Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }

  /** Checks what modules have added, each by itself and all of them together. */
  public static WorkflowReport of(ModuleScan scan) {
    Set<Finding> findings = new LinkedHashSet<>(scan.findings());
    Map<String, Graph> graphs = new LinkedHashMap<>();
    Map<String, String> definedBy = new HashMap<>();
    Map<String, String> handledBy = new HashMap<>();
    for (LoadedModule module : scan.modules()) {
      for (String task : module.tasks()) {
        String other = handledBy.putIfAbsent(task, module.name());
        if (other != null) {
          findings.add(
              Finding.error(
                  "task " + task,
                  "It has two handlers, in %s and in %s: remove one of them."
                      .formatted(other, module.name()),
                  null));
        }
      }
      for (Workflow<?, ?> workflow : module.workflows()) {
        if (!scan.invalid().contains(workflow.name())) {
          compile(workflow, module, graphs, definedBy, findings);
        }
      }
    }
    scan.modules().stream()
        .flatMap(module -> module.workflows().stream())
        .forEach(workflow -> unhandled(workflow, handledBy.keySet(), findings));
    Set<String> names = new HashSet<>(graphs.keySet());
    names.addAll(scan.invalid());
    return new WorkflowReport(names.size(), graphs, List.copyOf(findings));
  }

  private static void compile(
      Workflow<?, ?> workflow,
      LoadedModule module,
      Map<String, Graph> graphs,
      Map<String, String> definedBy,
      Set<Finding> findings) {
    String subject = "workflow " + workflow.name();
    Graph graph;
    try {
      graph = Graph.of(workflow, new JsonCodec());
    } catch (IllegalArgumentException | CodecException invalid) {
      findings.add(
          Finding.error(subject, String.valueOf(invalid.getMessage()), "module " + module.name()));
      return;
    }
    Graph other = graphs.putIfAbsent(workflow.name(), graph);
    if (other == null) {
      definedBy.put(workflow.name(), module.name());
    } else if (!other.hash().equals(graph.hash())) {
      findings.add(
          Finding.error(
              subject,
              "It is defined differently in %s and in %s: give one of them another name."
                  .formatted(definedBy.get(workflow.name()), module.name()),
              null));
    }
  }

  private static void unhandled(
      Workflow<?, ?> workflow, Set<String> handled, Set<Finding> findings) {
    for (StepDefinition step : workflow.steps()) {
      for (String task : tasks(step)) {
        if (!handled.contains(task)) {
          findings.add(
              Finding.warning(
                  "workflow " + workflow.name(),
                  "Step '%s' runs task '%s', which no module on the class path handles: add its module, or make sure that another node has a handler."
                      .formatted(step.name(), task),
                  null));
        }
      }
      if (step.work() instanceof StepDefinition.Work.RunWorkflow child) {
        unhandled(child.workflow(), handled, findings);
      }
    }
  }

  private static List<String> tasks(StepDefinition step) {
    List<String> tasks = new ArrayList<>();
    switch (step.work()) {
      case StepDefinition.Work.RunTask run -> tasks.add(run.task().name());
      case StepDefinition.Work.MapTask map -> tasks.add(map.task().name());
      case StepDefinition.Work.RunWorkflow child -> {}
      case StepDefinition.Work.Sleep sleep -> {}
      case StepDefinition.Work.AwaitSignal signal -> {}
    }
    if (step.compensation() != null) {
      tasks.add(step.compensation().name());
    }
    return tasks;
  }
}
