package dev.holdfast.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.PeerPool;
import dev.holdfast.bench.peers.JobRunner;
import dev.holdfast.bench.peers.Lap;
import dev.holdfast.bench.peers.Peer;
import dev.holdfast.bench.peers.Tuning;
import dev.holdfast.cli.database.Address;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * A process that runs waiting jobs with one library: {@code LIBRARY TUNING SCHEMA JOBS}. It runs as
 * many jobs at once, and then as many as each line of its input says. It replies with the times of
 * a {@link Lap}.
 *
 * <p>It has its own {@code main}, because the command line of Holdfast would take most of the time
 * from the start of a process to its first job.
 */
final class PeerProcess {

  private PeerProcess() {}

  public static void main(String[] args) throws IOException {
    JavaPeers.silence();
    Address address =
        new Address(
            System.getenv().getOrDefault("HOLDFAST_DATABASE_URL", ""),
            System.getenv("HOLDFAST_DATABASE_USER"),
            System.getenv("HOLDFAST_DATABASE_PASSWORD"));
    Tuning tuning = Tuning.valueOf(args[1]);
    if (args[0].equals(PeersBench.HOLDFAST)) {
      try (JobRunner runner = new HoldfastRunner(address, args[2], tuning)) {
        obey(runner, args[3]);
      }
      return;
    }
    Peer peer = JavaPeers.valueOf(args[0]).create(tuning);
    try (HikariDataSource pool = PeerPool.of(address, args[2], peer.connections());
        peer) {
      peer.connect(pool);
      obey(peer, args[3]);
    }
  }

  private static void obey(JobRunner runner, String jobs) throws IOException {
    reply(runner.drain(Integer.parseInt(jobs)));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      reply(runner.drain(Integer.parseInt(line)));
    }
  }

  private static void reply(Lap lap) {
    System.out.println(
        "%s %d %d"
            .formatted(Child.DONE, Micros.of(lap.firstStarted()), Micros.of(lap.allFinished())));
    System.out.flush();
  }
}
