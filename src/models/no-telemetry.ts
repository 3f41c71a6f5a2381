/**
 * What stands in the deployed worker for `@opentelemetry/api`, which Anthropic's package imports and, with its tracing off
 * (anthropic.ts), never calls: 3 kB of the compressed worker. `alias` in wrangler.toml and cli/bundle.ts put it there;
 * Querent's own spans go through the platform (durable/spans.ts). Everything here does nothing, as the API itself does
 * where nobody has installed a tracer.
 */

const NO_CONTEXT = {};

export const context = {
  active: () => NO_CONTEXT,
  with: <T>(_context: unknown, run: () => T): T => run(),
};

export const propagation = { fields: (): readonly string[] => [], inject: () => undefined };

export const trace = {
  getSpan: () => undefined,
  getTracerProvider: () => ({ getTracer: () => null }),
  isSpanContextValid: () => false,
  setSpan: (kept: unknown) => kept,
};

/** The numbers of the API. */
export const SpanKind = { INTERNAL: 0, SERVER: 1, CLIENT: 2, PRODUCER: 3, CONSUMER: 4 };
export const SpanStatusCode = { UNSET: 0, OK: 1, ERROR: 2 };
