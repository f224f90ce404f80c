package dev.holdfast.bench;

import dev.holdfast.bench.peers.Tuning;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Which libraries and measurements {@code --only} selects; all of either if it names none. */
record PeerChoice(Set<PeerPart> parts) {

  static PeerChoice of(Set<PeerPart> named) {
    Set<PeerPart> parts = EnumSet.noneOf(PeerPart.class);
    for (boolean libraries : new boolean[] {true, false}) {
      List<PeerPart> all =
          Arrays.stream(PeerPart.values()).filter(part -> part.isLibrary == libraries).toList();
      List<PeerPart> chosen = all.stream().filter(named::contains).toList();
      parts.addAll(chosen.isEmpty() ? all : chosen);
    }
    return new PeerChoice(parts);
  }

  boolean has(PeerPart part) {
    return parts.contains(part);
  }

  /** Returns the libraries in the order of the table. */
  List<String> libraries() {
    return parts.stream().filter(part -> part.isLibrary).map(PeerPart::toString).toList();
  }

  boolean has(String library) {
    return libraries().contains(library);
  }

  /** Returns whether the drains with these settings are measured. */
  boolean drains(Tuning tuning) {
    return has(tuning == Tuning.TUNED ? PeerPart.TUNED : PeerPart.DEFAULT);
  }

  boolean starts() {
    return has(PeerPart.START);
  }

  /** Returns the settings for which tables are needed. The start is measured with the defaults. */
  List<Tuning> tunings() {
    return Arrays.stream(Tuning.values())
        .filter(tuning -> drains(tuning) || (starts() && tuning == Tuning.DEFAULT))
        .toList();
  }
}
