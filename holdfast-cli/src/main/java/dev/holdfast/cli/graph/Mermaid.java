package dev.holdfast.cli.graph;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.workflow.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Draws a {@link Picture} as the text of a Mermaid flowchart. Steps have generated ids, and names
 * and descriptions are quoted, so that no name is taken for syntax.
 */
public final class Mermaid {
  private final Picture picture;
  private final List<String> lines = new ArrayList<>();

  private Mermaid(Picture picture) {
    this.picture = picture;
  }

  /** Draws a picture. */
  public static List<String> lines(Picture picture) {
    return new Mermaid(picture).lines();
  }

  private List<String> lines() {
    lines.add("---");
    lines.add("title: '%s'".formatted(picture.title().replaceAll("\\s", " ").replace("'", "''")));
    lines.add("---");
    lines.add("flowchart TD");
    for (int at = 0; at < picture.steps().size(); at++) {
      if (picture.steps().get(at).part() != Graph.Part.FINALLY) {
        lines.add("  " + box(at));
      }
    }
    finallySteps();
    for (int at = 0; at < picture.steps().size(); at++) {
      edges(at);
    }
    if (picture.isRun()) {
      states();
    }
    return lines;
  }

  private void finallySteps() {
    List<Integer> last = new ArrayList<>();
    for (int at = 0; at < picture.steps().size(); at++) {
      if (picture.steps().get(at).part() == Graph.Part.FINALLY) {
        last.add(at);
      }
    }
    if (!last.isEmpty()) {
      lines.add("  subgraph last [\"finally\"]");
      last.forEach(at -> lines.add("    " + box(at)));
      lines.add("  end");
    }
  }

  private String box(int at) {
    Picture.Box step = picture.steps().get(at);
    List<String> texts = new ArrayList<>(List.of(step.name(), step.work()));
    texts.addAll(step.notes());
    if (!step.progress().isEmpty()) {
      texts.add(step.progress());
    }
    String text = texts.stream().map(Mermaid::quoted).collect(Collectors.joining("<br/>"));
    return switch (step.kind()) {
      case Graph.Work.Task task -> "s%d[\"%s\"]".formatted(at, text);
      case Graph.Work.Map map -> "s%d[/\"%s\"/]".formatted(at, text);
      case Graph.Work.Child child -> "s%d[[\"%s\"]]".formatted(at, text);
      case Graph.Work.Sleep sleep -> "s%d([\"%s\"])".formatted(at, text);
      case Graph.Work.Signal signal -> "s%d{{\"%s\"}}".formatted(at, text);
    };
  }

  private void edges(int at) {
    Picture.Box step = picture.steps().get(at);
    step.after().forEach(before -> lines.add("  s%d --> s%d".formatted(before, at)));
    if (step.undoes() >= 0) {
      lines.add("  s%d -. \"undo\" .-> s%d".formatted(step.undoes(), at));
    }
  }

  private void states() {
    lines.add("  classDef pending fill:#eee,stroke:#999,color:#555");
    lines.add("  classDef active fill:#cff,stroke:#099");
    lines.add("  classDef waiting fill:#ffc,stroke:#990");
    lines.add("  classDef succeeded fill:#cfc,stroke:#090");
    lines.add("  classDef failed fill:#fcc,stroke:#900");
    lines.add("  classDef cancelled fill:#fdc,stroke:#930");
    lines.add("  classDef skipped fill:#fff,stroke:#999,color:#999,stroke-dasharray:4");
    for (int at = 0; at < picture.steps().size(); at++) {
      StepState state = picture.steps().get(at).state();
      if (state != null) {
        lines.add("  class s%d %s".formatted(at, state.name().toLowerCase(Locale.ROOT)));
      }
    }
  }

  /** Replaces the characters that end a quoted text, or are read as HTML, by entities. */
  private static String quoted(String text) {
    return text.replaceAll("\\s", " ")
        .replace("#", "#35;")
        .replace("&", "#38;")
        .replace("\"", "#quot;")
        .replace("<", "#lt;")
        .replace(">", "#gt;")
        .replace("`", "#96;");
  }
}
