package dev.holdfast.server.api;

import dev.holdfast.server.http.Call;

/**
 * What a caller may see of jobs and runs.
 *
 * @param payloads what they work on
 * @param nodes the ids of nodes, which contain names of hosts: only for operators of the
 *     installation
 */
record Visible(boolean payloads, boolean nodes) {

  static Visible to(Call call) {
    return new Visible(call.readsPayloads(), call.caller().isAdmin());
  }
}
