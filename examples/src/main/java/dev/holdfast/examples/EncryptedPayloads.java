package dev.holdfast.examples;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import javax.crypto.KeyGenerator;

/** Encrypts payloads and results, so that the database contains no plain text. */
public final class EncryptedPayloads {
  record Patient(String name) {}

  static final TaskType<Patient, String> DIAGNOSE =
      TaskType.of("clinic::diagnose", Patient.class, String.class);

  public static void main(String[] args) throws Exception {
    KeyGenerator generator = KeyGenerator.getInstance("AES");
    generator.init(256);
    var codec = new EncryptingCodec(new JsonCodec(), generator.generateKey());

    try (var database = ExampleDatabase.create();
        var node =
            HoldfastNode.on(database.store())
                .codec(codec)
                .handle(DIAGNOSE, (patient, context) -> patient.name() + " is healthy")
                .start();
        Holdfast holdfast = HoldfastClient.on(database.store(), codec, ClientSettings.DEFAULT)) {
      var enqueued = holdfast.enqueue(DIAGNOSE, new Patient("Ada"));
      System.out.println("Result: " + holdfast.await(enqueued, Duration.ofSeconds(30)));

      Job stored = holdfast.find(enqueued.id()).orElseThrow();
      System.out.println("Stored payload: " + stored.payload());
      System.out.println("Stored result: " + stored.result());
    }
  }
}
