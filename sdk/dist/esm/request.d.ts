/** A call as the generated functions describe it, and its URL, headers and body. */
export type QueryValue = string | number | boolean | Date | readonly QueryValue[];
/** A file to upload. */
export interface FileInput {
    filename: string;
    content: Blob | Uint8Array | string;
    contentType?: string;
}
export interface CallDescription {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    path: string;
    query?: object | undefined;
    body?: object | undefined;
    file?: FileInput;
}
export interface ReadOptions {
    signal?: AbortSignal | undefined;
    /** How long one attempt may take. */
    timeoutMs?: number | undefined;
    maxRetries?: number | undefined;
}
export interface WriteOptions extends ReadOptions {
    /** One per intention. Without it, the call makes one and keeps it over its retries. */
    idempotencyKey?: string | undefined;
    /** Runs every check and changes nothing. */
    dryRun?: boolean | undefined;
}
export interface ChangeOptions extends WriteOptions {
    /** The revision that you have read: 412 if the document has changed since. */
    ifMatch?: number | string | undefined;
}
/** A value in a path. An empty one would make it another path. */
export declare const segment: (value: string | number) => string;
export declare const urlOf: (baseUrl: string, { path, query }: CallDescription) => string;
/** A body, prepared once for all attempts. */
export interface PreparedBody {
    contentType?: string;
    body?: string | FormData;
}
export declare const bodyOf: ({ body, file }: CallDescription) => PreparedBody;
/** What makes two calls the same write. */
export declare const contentOf: (url: string, call: CallDescription) => Promise<Uint8Array>;
export declare const headersOf: (options: ChangeOptions, key: string | undefined) => {
    'idempotency-key'?: string;
    'svc-dry-run'?: string;
    'if-match'?: string;
};
