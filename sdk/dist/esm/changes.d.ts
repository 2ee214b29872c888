/** A sweep over a list in the order of its changes. */
import type { Client } from './client.js';
import type { ReadOptions } from './request.js';
/**
 * Everything that has changed since then, oldest change first. What changes during the sweep comes
 * again at its end, so each change that is seen comes once. The next sweep starts with the newest
 * `updated_at` of this one, inclusive.
 */
export declare function changes<T>(client: Client, path: string, { since, ...filters }?: {
    since?: string | Date | undefined;
}, options?: ReadOptions): AsyncGenerator<T, void, undefined>;
