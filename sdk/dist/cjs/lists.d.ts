import type * as esm from '../esm/lists.js' with { 'resolution-mode': 'import' }
export type * from '../esm/lists.js' with { 'resolution-mode': 'import' }
export type ListPromise<T> = esm.ListPromise<T>
export declare const ListPromise: typeof esm.ListPromise
export type Page<T> = esm.Page<T>
export declare const Page: typeof esm.Page
