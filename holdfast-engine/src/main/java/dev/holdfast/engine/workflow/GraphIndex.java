package dev.holdfast.engine.workflow;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A graph, and what is looked up in it often: positions by name, ancestors, compensations. */
final class GraphIndex {
  private final Graph graph;
  private final Map<String, Integer> positions = new HashMap<>();
  private final BitSet[] sources;
  private final BitSet main = new BitSet();
  private final int[] compensations;
  private boolean compensates;

  GraphIndex(Graph graph) {
    this.graph = graph;
    List<Graph.Node> nodes = graph.steps();
    this.sources = new BitSet[nodes.size()];
    this.compensations = new int[nodes.size()];
    Arrays.fill(compensations, -1);
    for (int i = 0; i < nodes.size(); i++) {
      Graph.Node node = nodes.get(i);
      positions.put(node.name(), i);
      if (node.part() == Graph.Part.MAIN) {
        main.set(i);
      }
      if (node.compensates() >= 0) {
        compensations[node.compensates()] = i;
        compensates = true;
      }
    }
    for (int i = 0; i < nodes.size(); i++) {
      sources[i] = sourcesOf(i);
    }
  }

  /** Steps are in topological order, so the ancestors of dependencies are known already. */
  private BitSet sourcesOf(int step) {
    BitSet all = new BitSet();
    if (node(step).part() == Graph.Part.FINALLY) {
      all.or(main);
    }
    for (int before : node(step).after()) {
      all.set(before);
      all.or(sources[before]);
    }
    return all;
  }

  Graph graph() {
    return graph;
  }

  int size() {
    return sources.length;
  }

  Graph.Node node(int step) {
    return graph.steps().get(step);
  }

  /** Returns the position of a step; null if there is no step of that name. */
  @Nullable Integer position(String name) {
    return positions.get(name);
  }

  /**
   * Returns the steps whose outputs make up the context of a step: its ancestors; for a finally
   * step also all steps of the workflow. The set must not be changed.
   */
  BitSet sources(int step) {
    return sources[step];
  }

  /** Returns the steps of the workflow, whose outputs make up the context of the result. */
  BitSet main() {
    return main;
  }

  /** Returns the position of the compensation of a step; -1 if it has none. */
  int compensation(int step) {
    return compensations[step];
  }

  boolean hasCompensations() {
    return compensates;
  }
}
