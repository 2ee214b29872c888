/** Sends a call, as often as it may be repeated without a second effect. */
import { ApiPromise, type ApiResponse } from './api-promise.js';
import { type Fetch } from './attempt.js';
import { type DocexKeyStore } from './key-store.js';
import { type CallDescription, type ChangeOptions } from './request.js';
declare const logLevels: readonly ['off', 'error', 'warn', 'info', 'debug'];
export interface ClientOptions {
    /** Default: the environment variable DOCEX_API_KEY. */
    apiKey?: string | undefined;
    /** Default: the environment variable DOCEX_BASE_URL. */
    baseUrl?: string | undefined;
    /** How often a call is repeated where that is safe. Default 2. */
    maxRetries?: number | undefined;
    /** How long one attempt may take. Default 30 s. */
    timeoutMs?: number | undefined;
    fetch?: Fetch | undefined;
    /** Methods, paths, statuses and times; never bodies or secrets. Default `off`. */
    logLevel?: (typeof logLevels)[number] | undefined;
    /** Keeps the Idempotency-Keys of writes whose outcome is not known. */
    keyStore?: DocexKeyStore | undefined;
}
/** A configured connection to the service, for the functions of `docex/functions`. */
export interface Client {
    json<T>(call: CallDescription, options?: ChangeOptions): ApiPromise<T>;
    /** The exact bytes of the response. */
    bytes(call: CallDescription, options?: ChangeOptions): Promise<ApiResponse<Uint8Array>>;
}
export declare const createClient: (options?: ClientOptions) => Client;
export {};
