/** The client of the Document Exchange Service. */
export { ApiPromise, type ApiResponse } from './api-promise.js';
export type { Fetch } from './attempt.js';
export type { ClientOptions } from './client.js';
export type { ConflictDetails, ConflictReason, ErrorDetails, Problem } from './error-details.js';
export { ApiError, ConnectionError, DocexError, SignatureError, TimeoutError } from './errors.js';
export type { FollowOptions } from './follow.js';
export { Docex } from './generated/resources.js';
export type * from './generated/types.js';
export type { DocexKeyStore } from './key-store.js';
export { ListPromise, Page } from './lists.js';
export type { Proof } from './proof.js';
export type { ChangeOptions, FileInput, ReadOptions, WriteOptions } from './request.js';
