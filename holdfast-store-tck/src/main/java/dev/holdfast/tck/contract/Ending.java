package dev.holdfast.tck.contract;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import java.time.Duration;

/** Every way in which a holder can report the end of an attempt. */
enum Ending {
  SUCCEEDED {
    @Override
    Finish of(ClaimId held) {
      return new Finish.Succeeded(held, "\"done\"", null);
    }
  },
  RETRY_IN {
    @Override
    Finish of(ClaimId held) {
      return new Finish.RetryIn(held, Duration.ofMinutes(5), failure("it broke"));
    }
  },
  DEAD {
    @Override
    Finish of(ClaimId held) {
      return new Finish.Dead(held, failure("it broke permanently"));
    }
  },
  LATER {
    @Override
    Finish of(ClaimId held) {
      return new Finish.Later(held, Duration.ofMinutes(5));
    }
  },
  CANCELLED {
    @Override
    Finish of(ClaimId held) {
      return new Finish.Cancelled(held);
    }
  };

  abstract Finish of(ClaimId held);

  static Finish.Failure failure(String message) {
    return new Finish.Failure(1, "SMTP_DOWN", null, message, null, "node-1");
  }
}
