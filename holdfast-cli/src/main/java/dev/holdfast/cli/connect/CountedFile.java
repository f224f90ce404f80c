package dev.holdfast.cli.connect;

import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.LongConsumer;

/**
 * The body of a request, which reports how much of it has been sent. A repeat starts at 0.
 *
 * @param sent receives how many bytes have been sent
 */
record CountedFile(BodyPublisher file, LongConsumer sent) implements BodyPublisher {

  @Override
  public long contentLength() {
    return file.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    file.subscribe(
        new Flow.Subscriber<>() {
          private long bytes;

          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscriber.onSubscribe(subscription);
          }

          @Override
          public void onNext(ByteBuffer piece) {
            bytes += piece.remaining();
            sent.accept(bytes);
            subscriber.onNext(piece);
          }

          @Override
          public void onError(Throwable failure) {
            subscriber.onError(failure);
          }

          @Override
          public void onComplete() {
            subscriber.onComplete();
          }
        });
  }
}
