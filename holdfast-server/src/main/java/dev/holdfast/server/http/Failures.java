package dev.holdfast.server.http;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.KeyLockedException;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.UnknownWorkflowException;
import dev.holdfast.api.codec.CodecException;
import dev.holdfast.packages.jar.InvalidPackageException;
import dev.holdfast.server.tenant.TenantException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what handlers throw into problems. The only place that does. */
final class Failures {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  private Failures() {}

  static Response.Problem problem(Throwable failure, String request, String route) {
    return switch (failure) {
      case ProblemException refused -> refused.problem();
      case KeyLockedException locked ->
          Response.Problem.of(Code.CONFLICT, text(locked)).retryAfter(SOON);
      case StoreException store -> ofStore(store, request, route);
      case DuplicateJobException duplicate ->
          Response.Problem.of(Code.DUPLICATE_JOB, text(duplicate));
      case UnknownRunException unknown -> Response.Problem.of(Code.RUN_NOT_FOUND, text(unknown));
      case UnknownWorkflowException unknown ->
          Response.Problem.of(Code.WORKFLOW_NOT_FOUND, text(unknown));
      case RunStateException state -> Response.Problem.of(Code.RUN_STATE, text(state));
      case TenantException tenant ->
          Response.Problem.of(
              switch (tenant.reason()) {
                case NOT_FOUND -> Code.TENANT_NOT_FOUND;
                case EXISTS -> Code.TENANT_EXISTS;
                case IN_USE -> Code.TENANT_IN_USE;
                case WRONG_STATE -> Code.TENANT_STATE;
              },
              text(tenant));
      case InvalidPackageException refused ->
          new Response.Problem(
              Code.PACKAGE_INVALID,
              "The package was not stored. " + refused.problems().getFirst(),
              refused.problems().stream()
                  .map(problem -> new Response.FieldError("package", problem))
                  .toList(),
              null);
      case CodecException codec -> Response.Problem.of(Code.INVALID_REQUEST, text(codec));
      // The library reports what callers did wrong with these two.
      case IllegalArgumentException invalid ->
          Response.Problem.of(Code.INVALID_REQUEST, text(invalid));
      case HoldfastException refused -> Response.Problem.of(Code.CONFLICT, text(refused));
      default -> {
        log.error("Request {} to {} failed unexpectedly", request, route, failure);
        yield Response.Problem.of(
            Code.INTERNAL_ERROR,
            "Something went wrong that should not. The log of the server has request %s."
                .formatted(request));
      }
    };
  }

  private static Response.Problem ofStore(StoreException failure, String request, String route) {
    if (failure.outcome() == StoreException.Outcome.REFUSED) {
      log.warn("Request {} to {} was refused by the database: {}", request, route, text(failure));
      return Response.Problem.of(
          Code.REFUSED_BY_DATABASE,
          "The database refused the request, and nothing was changed. The log of the server has request %s."
              .formatted(request));
    }
    log.warn("Request {} to {} failed: {}", request, route, text(failure));
    return Response.Problem.of(
            Code.DATABASE_UNAVAILABLE,
            failure.outcome() == StoreException.Outcome.RETRYABLE
                ? "The database did not respond in time. Nothing was changed; try again."
                : "The connection to the database broke, so it is not known whether the request was"
                    + " carried out. Repeat it with the same Idempotency-Key.")
        .retryAfter(SOON);
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
