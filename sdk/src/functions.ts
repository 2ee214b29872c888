/** Every operation as a function of its own: a bundler keeps only those that are used. */
export { type Client, type ClientOptions, createClient } from './client.ts'
export { ApiError, ConnectionError, DocexError, TimeoutError } from './errors.ts'
export { eventsFollow } from './follow.ts'
export * from './generated/functions.ts'
