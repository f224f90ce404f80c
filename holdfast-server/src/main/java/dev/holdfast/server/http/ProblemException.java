package dev.holdfast.server.http;

/** Ends a call with a problem. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient Response.Problem problem;

  public ProblemException(Response.Problem problem) {
    super(problem.code() + ": " + problem.detail(), null, false, false);
    this.problem = problem;
  }

  /** Returns the problem. */
  public Response.Problem problem() {
    return problem;
  }
}
