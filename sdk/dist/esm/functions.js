export { createClient } from './client.js';
export { ApiError, ConnectionError, DocexError, TimeoutError } from './errors.js';
export { eventsFollow } from './follow.js';
export * from './generated/functions.js';
