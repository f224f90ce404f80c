package dev.holdfast.postgres;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.NewJob;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates new jobs with defaults. */
public final class Drafts {
  public static final String QUEUE = "mail";
  public static final String TASK = "mail::send";

  private Drafts() {}

  public static NewJob job() {
    return job(null, When.NOW);
  }

  public static NewJob jobIn(String queue) {
    return job(queue, null, When.NOW);
  }

  public static NewJob job(@Nullable UniqueKey key, When when) {
    return job(QUEUE, key, when);
  }

  private static NewJob job(String queue, @Nullable UniqueKey key, When when) {
    return new NewJob(
        new JobId(UuidCreator.getTimeOrderedEpoch()),
        NewJob.IdUse.FRESH,
        when,
        key,
        new NewJob.Content(TASK, queue, 4, "{}", Set.of(), null, null, NewJob.Stamp.NONE));
  }
}
