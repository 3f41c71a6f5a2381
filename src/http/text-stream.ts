/**
 * A response body made piece by piece, only as fast as the client reads: nothing is asked for before it is wanted, and a
 * reader that goes away ends the source.
 */
export function textStream(source: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await source.next();
          if (done === true) return controller.close();
          // An empty piece would leave the reader waiting without another pull.
          if (value !== "") return controller.enqueue(encoder.encode(value));
        }
      },
      async cancel() {
        await source.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
