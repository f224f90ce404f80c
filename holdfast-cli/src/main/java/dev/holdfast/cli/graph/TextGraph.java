package dev.holdfast.cli.graph;

import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.workflow.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Draws a {@link Picture} as text, one line per step. */
public final class TextGraph {
  private static final int WIDEST_COLUMN = 60;
  private static final String RESET = "\u001b[0m";

  private final Picture picture;
  private final boolean colours;

  private TextGraph(Picture picture, boolean colours) {
    this.picture = picture;
    this.colours = colours;
  }

  /**
   * Draws a picture.
   *
   * @param colours whether to colour the states of a run, for a terminal
   */
  public static List<String> lines(Picture picture, boolean colours) {
    return new TextGraph(picture, colours).lines();
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        picture.title()
            + (picture.facts().isEmpty() ? "" : " (%s)".formatted(join(picture.facts()))));
    List<Integer> main = of(Graph.Part.MAIN);
    // The steps of the workflow come first, so their positions are those of the drawing.
    List<String> lanes =
        Lanes.draw(
            main.stream().map(at -> picture.steps().get(at).after()).toList(),
            main.stream().map(at -> mark(picture.steps().get(at).state())).toList());
    add(lines, main, lanes);
    section(lines, "compensation, if the run fails or is cancelled:", Graph.Part.COMPENSATION);
    section(lines, "finally, however the run ends:", Graph.Part.FINALLY);
    return lines;
  }

  private List<Integer> of(Graph.Part part) {
    List<Integer> positions = new ArrayList<>();
    for (int at = 0; at < picture.steps().size(); at++) {
      if (picture.steps().get(at).part() == part) {
        positions.add(at);
      }
    }
    return positions;
  }

  private void section(List<String> lines, String title, Graph.Part part) {
    List<Integer> steps = of(part);
    if (!steps.isEmpty()) {
      lines.add(title);
      add(lines, steps, null);
    }
  }

  /** Adds a line for each step, with its lanes, or with the names of its dependencies. */
  private void add(List<String> lines, List<Integer> steps, @Nullable List<String> lanes) {
    int lanesWidth = lanes == null ? 2 : width(lanes, lane -> lane);
    int name = width(steps, at -> picture.steps().get(at).name());
    int progress = width(steps, at -> picture.steps().get(at).progress());
    int work = width(steps, at -> picture.steps().get(at).work());
    for (int i = 0; i < steps.size(); i++) {
      Picture.Box box = picture.steps().get(steps.get(i));
      List<String> notes = new ArrayList<>(box.notes());
      if (lanes == null && !box.after().isEmpty()) {
        notes.addFirst("after " + join(names(box.after())));
      }
      String lane = lanes == null ? mark(box.state()) : lanes.get(i);
      StringBuilder line = new StringBuilder(" ");
      line.append(pad(lane, lanesWidth)).append(' ').append(pad(box.name(), name)).append("  ");
      if (picture.isRun()) {
        line.append(pad(box.progress(), progress)).append("  ");
      }
      line.append(pad(box.work(), work)).append("  ").append(String.join("; ", notes));
      lines.add(coloured(line.toString().stripTrailing(), box.state()));
    }
  }

  private List<String> names(List<Integer> positions) {
    return positions.stream().map(at -> picture.steps().get(at).name()).toList();
  }

  private static String mark(@Nullable StepState state) {
    if (state == null) {
      return "●";
    }
    return switch (state) {
      case PENDING -> "○";
      case ACTIVE -> "►";
      case WAITING -> "◷";
      case SUCCEEDED -> "✔";
      case FAILED -> "✘";
      case CANCELLED -> "⊘";
      case SKIPPED -> "↷";
    };
  }

  private String coloured(String line, @Nullable StepState state) {
    if (!colours || state == null) {
      return line;
    }
    int colour =
        switch (state) {
          case PENDING, SKIPPED -> 90;
          case ACTIVE -> 36;
          case WAITING -> 33;
          case SUCCEEDED -> 32;
          case FAILED, CANCELLED -> 31;
        };
    return "\u001b[%dm%s%s".formatted(colour, line, RESET);
  }

  private static <T> int width(List<T> cells, Function<T, String> text) {
    return cells.stream()
        .mapToInt(cell -> text.apply(cell).length())
        .filter(length -> length <= WIDEST_COLUMN)
        .max()
        .orElse(0);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String join(List<String> words) {
    return words.stream().collect(Collectors.joining(", "));
  }
}
