package dev.holdfast.server.http;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.key.Caller;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes a repeated creation return the result of the first one.
 *
 * <p>A request is recorded before it is carried out, with an id for what it creates. The tables of
 * a tenant are written in another transaction, so a server can die between the two. A repeat then
 * finds a record without a result and carries the request out again under the same id, which
 * creates nothing new.
 */
public final class Idempotency {
  private static final Duration KEPT_FOR = Duration.ofDays(1);
  private static final Pattern KEY = Pattern.compile("[!-~]{1,128}");

  private final ControlDatabase database;

  public Idempotency(ControlDatabase database) {
    this.database = database;
  }

  /** A recorded request. */
  private record Recorded(
      String hash, UUID seed, @Nullable Integer status, @Nullable String body) {}

  /** Carries out a creation once for each idempotency key. */
  Response once(Call call, Handler handler) {
    String key = call.header("Idempotency-Key");
    if (key == null) {
      return handler.handle(call);
    }
    if (!KEY.matcher(key).matches()) {
      throw Code.INVALID_REQUEST.because(
          "The Idempotency-Key is not valid: give 1 to 128 characters from ! to ~.");
    }
    Caller caller = call.caller();
    String hash = hash(call);
    Recorded recorded = record(caller.key(), key, hash);
    if (!recorded.hash().equals(hash)) {
      throw Code.IDEMPOTENCY_KEY_REUSED.because(
          "The Idempotency-Key was used for a request to another path or with another body: use a"
              + " new one for each request.");
    }
    if (recorded.status() != null && recorded.body() != null) {
      return replay(recorded.status(), recorded.body());
    }
    call.seed(recorded.seed());
    Response response = handler.handle(call);
    if (response instanceof Response.Json json && json.status() < 300) {
      return complete(caller.key(), key, json);
    }
    return response;
  }

  private static Response replay(int status, String body) {
    return new Response.Json(
        status, JsonText.parse(body), Map.of("Idempotent-Replay", "true"), null);
  }

  private Recorded record(String caller, String key, String hash) {
    return database.transaction(
        "record a request",
        statements -> {
          // By idempotency_pkey; a concurrent repeat waits here. An expired record is replaced.
          statements
              .update(
                  """
                  insert into ${schema}.idempotency as i
                    (key, idempotency_key, request_hash, seed, expires_at)
                  values (:key, :own, :hash, :seed, now() + make_interval(secs => :kept))
                  on conflict (key, idempotency_key) do update
                    set request_hash = excluded.request_hash, seed = excluded.seed, status = null,
                      body = null, expires_at = excluded.expires_at
                    where i.expires_at < now()
                  """)
              .bind("key", caller)
              .bind("own", key)
              .bind("hash", HexFormat.of().parseHex(hash))
              .bind("seed", UuidCreator.getTimeOrderedEpochPlus1())
              .bind("kept", (double) KEPT_FOR.toSeconds())
              .execute();
          return statements
              .query(
                  """
                  select request_hash, seed, status, body from ${schema}.idempotency
                  where key = :key and idempotency_key = :own
                  """)
              .bind("key", caller)
              .bind("own", key)
              .map((row, context) ->
                  new Recorded(
                      HexFormat.of().formatHex(row.getBytes(1)),
                      row.getObject(2, UUID.class),
                      row.getObject(3, Integer.class),
                      row.getString(4)))
              .one();
        });
  }

  /** Stores the result, unless a concurrent repeat has; then its result counts. */
  private Response complete(String caller, String key, Response.Json response) {
    String body = (response.replay() != null ? response.replay() : response.body()).toString();
    // By idempotency_pkey.
    int stored =
        database.run(
            "record the result of a request",
            statements ->
                statements
                    .update(
                        """
                        update ${schema}.idempotency set status = :status, body = :body
                        where key = :key and idempotency_key = :own and status is null
                        """)
                    .bind("key", caller)
                    .bind("own", key)
                    .bind("status", response.status())
                    .bind("body", body)
                    .execute());
    if (stored > 0) {
      return response;
    }
    return database
        .run(
            "read the result of a request",
            statements ->
                statements
                    .query(
                        """
                        select status, body from ${schema}.idempotency
                        where key = :key and idempotency_key = :own and status is not null
                        """)
                    .bind("key", caller)
                    .bind("own", key)
                    .map((row, context) -> replay(row.getInt(1), row.getString(2)))
                    .findOne())
        .orElse(response);
  }

  private static String hash(Call call) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(call.fullPath().getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      return HexFormat.of().formatHex(digest.digest(call.bytes()));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java platform has SHA-256", impossible);
    }
  }

  /** Deletes records that have expired. */
  public int purge() {
    // By idempotency_expiry.
    return database.run(
        "delete old idempotency keys",
        statements ->
            statements
                .update("delete from ${schema}.idempotency where expires_at < now()")
                .execute());
  }
}
