/** Which attempts are repeated, and when. */
/** What the service asks for; undefined if it asks for nothing. */
export declare const retryAfterMs: (headers: Headers) => number | undefined;
/** Full jitter: any time up to a bound that doubles with each attempt. */
export declare const jitterMs: (failures: number) => number;
/** How long to wait before the same request again; undefined = do not send it again. */
export declare const retryDelayMs: (headers: Headers, failures: number) => number | undefined;
