package dev.holdfast.engine.store;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stores the graphs of workflows. A graph is data that stores do not read. */
public interface Definitions {

  /** The newest format that this version of the engine reads. It also reads all older ones. */
  int NEWEST_FORMAT = 1;

  /**
   * A graph to be stored.
   *
   * @param hash the SHA-256 of its canonical text
   * @param name the name of the workflow
   * @param format the version of the format of the text
   * @param body the text
   */
  record Definition(String hash, String name, int format, String body) {}

  /**
   * A stored graph.
   *
   * @param id its number in this store, by which runs refer to it
   */
  record Stored(int id, Definition definition) {
    public String hash() {
      return definition.hash();
    }
  }

  /**
   * Stores graphs that are not stored yet, and notes that all of them are in use.
   *
   * <p>{@link Upkeep} retires a graph that was unused for 30 days longer than history is kept, that
   * no open run has, and that no stored graph names, and deletes it an hour later. No run can be
   * started with a retired graph until it is registered again, under the same id.
   *
   * @return the stored graphs, in the order of the list
   */
  List<Stored> register(List<Definition> definitions);

  /** Finds graphs by hash; unknown ones are left out. */
  List<Stored> find(Collection<String> hashes);

  /**
   * Lists the graphs of a workflow, the one that was stored last first. Registering a stored graph
   * again does not change that order.
   */
  List<Stored> versions(String workflow);

  /** Lists the names of all workflows, in alphabetical order. */
  List<String> names();

  /**
   * Lists the graph of each workflow that was stored last, ordered by name.
   *
   * @param after the name of the last workflow of the previous page; null for the first page
   */
  List<Stored> latest(@Nullable String after, int limit);
}
