/** Every operation as a function of its own: a bundler keeps only those that are used. */
export { type Client, type ClientOptions, createClient } from './client.js';
export { ApiError, ConnectionError, DocexError, TimeoutError } from './errors.js';
export { eventsFollow } from './follow.js';
export * from './generated/functions.js';
