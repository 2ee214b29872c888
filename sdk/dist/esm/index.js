export { ApiPromise } from './api-promise.js';
export { ApiError, ConnectionError, DocexError, SignatureError, TimeoutError } from './errors.js';
export { Docex } from './generated/resources.js';
export { ListPromise, Page } from './lists.js';
