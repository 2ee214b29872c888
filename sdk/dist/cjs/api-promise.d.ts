import type * as esm from '../esm/api-promise.js' with { 'resolution-mode': 'import' }
export type * from '../esm/api-promise.js' with { 'resolution-mode': 'import' }
export type ApiPromise<T> = esm.ApiPromise<T>
export declare const ApiPromise: typeof esm.ApiPromise
