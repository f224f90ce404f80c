package dev.holdfast.cli.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StackLinesTest {

  @Test
  void typeMessageAndEngineFramesAreOmitted() {
    assertThat(
            StackLines.of(
                """
                java.lang.IllegalStateException: No stamps
                left, at all
                \tat com.shop.Mail.send(Mail.java:12)
                \tat com.shop.Mail.lambda$0(Mail.java:7)
                \tat dev.holdfast.engine.run.Runner.call(Runner.java:90)
                \tat java.base/java.lang.VirtualThread.run(VirtualThread.java:456)
                Caused by: java.io.IOException: Out of ink
                \tat com.shop.Printer.print(Printer.java:3)
                \t... 4 more
                Caused by: java.io.EOFException
                \tat dev.holdfast.engine.run.Runner.read(Runner.java:70)
                \t... 6 more
                """))
        .containsExactly(
            "at com.shop.Mail.send(Mail.java:12)",
            "at com.shop.Mail.lambda$0(Mail.java:7)",
            "Caused by: java.io.IOException: Out of ink",
            "at com.shop.Printer.print(Printer.java:3)",
            "... 4 more",
            "Caused by: java.io.EOFException");
  }
}
