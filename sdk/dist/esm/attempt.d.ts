export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export interface ReceivedResponse {
    status: number;
    headers: Headers;
    bytes: Uint8Array;
}
export interface Deadline {
    signal: AbortSignal | undefined;
    timeoutMs: number;
}
/** Throws ConnectionError, TimeoutError, or the reason with which the caller aborted. */
export declare const attempt: (fetch: Fetch, url: string, init: RequestInit, { signal, timeoutMs }: Deadline) => Promise<ReceivedResponse>;
/** Waits, unless the caller aborts. */
export declare const pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
