package dev.holdfast.engine.held;

/**
 * The claims of a node, which claim, run, finish and liveness share.
 *
 * @param identity the incarnation that the node claims under
 * @param calls the claim calls that it has sent
 * @param jobs the jobs that it holds
 */
public record NodeClaims(CurrentIncarnation identity, ClaimCalls calls, HeldJobs jobs) {

  /** Returns the current tenure: how long the node may act under its incarnation. */
  public Tenure tenure() {
    return identity.tenure();
  }
}
