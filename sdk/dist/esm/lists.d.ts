/** Lists: one page, page by page, or row by row. */
import { ApiPromise } from './api-promise.js';
import type { Client } from './client.js';
import type { ReadOptions } from './request.js';
interface PageBody<T> {
    data: T[];
    has_more: boolean;
    next_cursor: string | null;
}
type ReadPage<T> = (cursor: string | undefined) => ApiPromise<PageBody<T>>;
export declare class Page<T> implements PageBody<T> {
    #private;
    readonly data: T[];
    readonly has_more: boolean;
    readonly next_cursor: string | null;
    constructor({ data, has_more, next_cursor }: PageBody<T>, read: ReadPage<T>);
    /** The next page; undefined after the last one. */
    next(): Promise<Page<T> | undefined>;
}
/** Awaited, the first page; iterated, every row of all pages. */
export declare class ListPromise<T> extends ApiPromise<Page<T>> implements AsyncIterable<T> {
    constructor(read: ReadPage<T>);
    pages(): AsyncGenerator<Page<T>, void, undefined>;
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
    /** The first rows, at most `limit` (default 10,000). */
    toArray({ limit }?: {
        limit?: number;
    }): Promise<T[]>;
}
export declare const list: <T>(client: Client, path: string, query: object | undefined, options: ReadOptions | undefined) => ListPromise<T>;
export {};
