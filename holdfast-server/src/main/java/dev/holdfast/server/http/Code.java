package dev.holdfast.server.http;

/** The stable codes of problems. Programs decide by them; texts may change. */
public enum Code {
  MALFORMED_REQUEST(400, "The request cannot be read"),
  INVALID_REQUEST(400, "The request is not valid"),
  INVALID_CURSOR(400, "The cursor is not valid"),
  UNAUTHENTICATED(401, "A valid key is required"),
  FORBIDDEN(403, "The key may not do this"),
  NOT_FOUND(404, "There is no such route"),
  TENANT_NOT_FOUND(404, "There is no such tenant"),
  JOB_NOT_FOUND(404, "There is no such job"),
  QUEUE_NOT_FOUND(404, "There is no such queue"),
  SCHEDULE_NOT_FOUND(404, "There is no such schedule"),
  TRIGGER_NOT_FOUND(404, "There is no such trigger"),
  RUN_NOT_FOUND(404, "There is no such run"),
  WORKFLOW_NOT_FOUND(404, "There is no such workflow"),
  KEY_NOT_FOUND(404, "There is no such key"),
  NODE_NOT_FOUND(404, "There is no such node"),
  WORKER_NOT_FOUND(404, "There is no such worker"),
  LEASE_NOT_FOUND(404, "There is no such lease"),
  SECRET_NOT_FOUND(404, "There is no such secret"),
  PACKAGE_NOT_FOUND(404, "There is no such package"),
  METHOD_NOT_ALLOWED(405, "The route does not have this method"),
  REQUEST_TIMEOUT(408, "The request took too long to arrive"),
  DUPLICATE_JOB(409, "The unique key is taken"),
  UNIQUE_KEY_TAKEN(409, "Another active job has the unique key"),
  JOB_STATE(409, "The state of the job does not allow this"),
  RUN_STATE(409, "The state of the run does not allow this"),
  SCHEDULE_OVERLAPS(409, "A job of the schedule has not ended"),
  WORKER_DEAD(409, "The worker was declared dead, or has deregistered"),
  KEY_STATE(409, "The state of the key does not allow this"),
  TENANT_EXISTS(409, "The name of the tenant is taken"),
  TENANT_IN_USE(409, "The tenant has live work"),
  TENANT_STATE(409, "The state of the tenant does not allow this"),
  TENANT_SUSPENDED(409, "The tenant is suspended"),
  SECRETS_NOT_CONFIGURED(409, "The server has no master key for secrets"),
  TOO_MANY_SECRETS(409, "The tenant has as many secrets as it may"),
  QUOTA_PAYLOAD_BYTES(409, "The request is larger than the tenant may send"),
  QUOTA_SCHEDULES(409, "The tenant has as many schedules as it may"),
  PACKAGE_EXISTS(409, "The version of the package is taken"),
  PACKAGE_CONFLICT(409, "Another package has the same task or workflow"),
  PACKAGE_IN_USE(409, "The package has live work"),
  CONFLICT(409, "The request conflicts with the current state"),
  PAYLOAD_TOO_LARGE(413, "The request is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body is of another type"),
  IDEMPOTENCY_KEY_REUSED(422, "The idempotency key was used for another request"),
  DIGEST_MISMATCH(422, "The body is not what was sent"),
  PACKAGE_INVALID(422, "The package cannot be accepted"),
  SIGNATURE_REQUIRED(422, "The package must be signed"),
  SIGNATURE_INVALID(422, "The signature is not valid"),
  REFUSED_BY_DATABASE(422, "The database refused the request"),
  QUOTA_QUEUED_JOBS(429, "The tenant has as many queued jobs as it may"),
  QUOTA_OPEN_RUNS(429, "The tenant has as many open runs as it may"),
  RATE_LIMITED(429, "Too many requests"),
  INTERNAL_ERROR(500, "Something went wrong"),
  DATABASE_UNAVAILABLE(503, "The database is not available"),
  TENANT_MIGRATING(503, "The tenant is being migrated"),
  UPLOADS_BUSY(503, "Other packages are being checked"),
  STOPPING(503, "The server is stopping"),
  TOO_MANY_STREAMS(503, "Too many clients watch");

  private final int status;
  private final String title;

  Code(int status, String title) {
    this.status = status;
    this.title = title;
  }

  /** Returns the HTTP status of such a problem. */
  public int status() {
    return status;
  }

  /** Returns the problem in a few words. */
  public String title() {
    return title;
  }

  /** Returns an exception that ends a call with this problem. */
  @SuppressWarnings("AnnotateFormatMethod") // The annotation would be another dependency.
  public ProblemException because(String detail, Object... values) {
    return new ProblemException(
        Response.Problem.of(this, values.length == 0 ? detail : detail.formatted(values)));
  }
}
