/** The feed of events, without gaps, for as long as the caller wants. */
import type { Client } from './client.js';
import type { Event, EventType } from './generated/types.js';
export interface FollowOptions {
    /** The last event that you have. Without it, only what happens from now on. */
    after?: string | undefined;
    signal?: AbortSignal | undefined;
    type?: EventType | readonly EventType[] | undefined;
    document?: string | undefined;
    /** How often to look when nothing happens. Default 2 s. */
    intervalMs?: number | undefined;
}
/**
 * Yields events in commit order and goes on through outages. To resume after a restart, keep the id
 * of the last event that you have handled. Ends when the signal aborts.
 */
export declare function eventsFollow(client: Client, { after, signal, intervalMs, ...filters }?: FollowOptions): AsyncGenerator<Event, void, undefined>;
