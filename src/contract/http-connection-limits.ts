/** Limits of HTTP connections and of request heads, and how a connection ends. */
export const httpConnectionLimits = {
  headerMaxBytes: 8 * 1024,
  headersMaxCount: 64,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 70_000,
  connectionsCheckEveryMs: 1_000,
  requestsPerSocketMax: 10_000,
  /** How often a client that has ended its side of the connection is asked whether it is there. */
  halfClosedProbeEveryMs: 200,
  connectionsMax: 12_000,
  /**
   * How long a client may take nothing before its connection is closed. Linux tells a sender of
   * progress only once a third of its buffer, which has up to 4 MiB, is free.
   */
  responseStallMs: 90_000,
  /** What clients have not taken yet, of all responses. Beyond it, the slowest ones are cut off. */
  unsentResponsesMaxBytes: 256 * 1024 * 1024,
  /** A client that still sends the body of a refused request has this long to read the response. */
  lingeringCloseMaxMs: 2_000,
  lingeringCloseCheckEveryMs: 10,
  /** How much of such a body is read and dropped: more than a file slightly too large has. */
  lingeringCloseMaxBytes: 40 * 1024 * 1024,
  /** For a caller that nobody knows, whose requests are cheap. */
  lingeringCloseMaxUnknownBytes: 2 * 1024 * 1024,
} as const
