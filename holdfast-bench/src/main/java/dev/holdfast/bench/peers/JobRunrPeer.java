package dev.holdfast.bench.peers;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.server.configuration.BackgroundJobServerThreadType;
import org.jobrunr.server.configuration.DefaultBackgroundJobServerWorkerPolicy;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.StorageProviderUtils.DatabaseOptions;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/**
 * JobRunr, open source edition: a row per job with its history as JSON, kept as {@code SUCCEEDED}
 * when it is done.
 */
public final class JobRunrPeer implements Peer {
  // The number of workers is also the fetch size, so JobRunr gains from far more workers than
  // its default of 16 per core. They run on virtual threads, its default from Java 21 on, and share
  // few connections: more connections only put more load on PostgreSQL.
  private static final int WORKERS = 128;
  private static final int CONNECTIONS = 20;

  // The shortest interval it accepts on a SQL store. It also fetches when a worker becomes free.
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

  private static final String PAYLOAD = "x".repeat(50);

  private static final String UNFINISHED =
      "select exists (select from jobrunr_jobs where state <> 'SUCCEEDED')";

  private final Tuning tuning;
  private final Tables tables = new Tables();
  private final JsonMapper json = new Jackson3JsonMapper();

  public JobRunrPeer(Tuning tuning) {
    this.tuning = tuning;
  }

  @Override
  public int connections() {
    return CONNECTIONS;
  }

  @Override
  public void connect(DataSource database) {
    tables.connect(database);
  }

  @Override
  public void createTables() {
    new PostgresStorageProvider(tables.database(), DatabaseOptions.CREATE).close();
  }

  @Override
  public void clear() {
    tables.run("truncate jobrunr_jobs");
  }

  /** Enqueues a stream, saved in batches of 5,000; requests are cheaper to analyse than lambdas. */
  @Override
  public void enqueue(int count) {
    try (StorageProvider store = store()) {
      new JobRequestScheduler(store, List.of())
          .enqueue(Stream.generate(() -> new Nothing(PAYLOAD)).limit(count));
    }
  }

  @Override
  public Lap drain(int count) {
    FinishLine finishLine = new FinishLine(count);
    try (StorageProvider store = store()) {
      BackgroundJobServer server =
          new BackgroundJobServer(store, json, new Activator(finishLine), configuration());
      server.start();
      try {
        return finishLine.await(tables, UNFINISHED);
      } finally {
        server.stop();
      }
    }
  }

  @Override
  public void close() {}

  private StorageProvider store() {
    StorageProvider store =
        new PostgresStorageProvider(tables.database(), DatabaseOptions.NO_VALIDATE);
    store.setJobMapper(new JobMapper(json));
    return store;
  }

  private BackgroundJobServerConfiguration configuration() {
    BackgroundJobServerConfiguration standard =
        BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration();
    if (tuning == Tuning.DEFAULT) {
      return standard;
    }
    return standard
        .andPollInterval(POLL_INTERVAL)
        .andBackgroundJobServerWorkerPolicy(
            new DefaultBackgroundJobServerWorkerPolicy(
                WORKERS, BackgroundJobServerThreadType.VirtualThreads));
  }

  /** The request of a no-op job; public because JobRunr creates it from JSON. */
  public record Nothing(String text) implements JobRequest {
    @Override
    public Class<NothingHandler> getJobRequestHandler() {
      return NothingHandler.class;
    }
  }

  /** Runs a no-op job; public because JobRunr calls it by reflection. */
  public static final class NothingHandler implements JobRequestHandler<Nothing> {
    private final FinishLine finishLine;

    NothingHandler(FinishLine finishLine) {
      this.finishLine = finishLine;
    }

    @Override
    public void run(Nothing request) {
      finishLine.jobRan();
    }
  }

  /** Supplies the handler of this round for every job, as a container would. */
  private record Activator(NothingHandler handler) implements JobActivator {
    Activator(FinishLine finishLine) {
      this(new NothingHandler(finishLine));
    }

    @Override
    public <T> T activateJob(Class<T> type) {
      return type.cast(handler);
    }
  }
}
