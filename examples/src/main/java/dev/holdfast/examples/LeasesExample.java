package dev.holdfast.examples;

import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.lease.HoldfastLeases;
import java.time.Duration;

/** Leases a key, so that one process at a time works on an invoice. No node is needed. */
public final class LeasesExample {

  public static void main(String[] args) {
    // Two clients of one database, as two processes would have.
    try (var database = ExampleDatabase.create();
        var here = HoldfastLeases.on(database.store());
        var there = HoldfastLeases.on(database.store())) {
      long token;
      try (Lease lease = here.acquire("invoice:42", Duration.ofMinutes(2)).orElseThrow()) {
        token = lease.fencingToken();
        System.out.println("First holder: " + lease.key() + ", attempt " + lease.attempt());
        archive(there, token); // Busy, so this does nothing.
      }
      archive(there, token);
    }
  }

  private static void archive(Leases leases, long earlierToken) {
    switch (leases.acquire("invoice:42")) {
      case Acquisition.Busy busy -> System.out.println("Second holder: busy, " + busy.state());
      case Acquisition.Acquired acquired -> {
        try (Lease lease = acquired.lease()) {
          // Storage that refuses smaller tokens is safe from a holder that was paused.
          System.out.println(
              "Second holder: acquired, token is greater: "
                  + (lease.fencingToken() > earlierToken));
        }
      }
    }
  }
}
