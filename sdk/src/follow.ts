/** The feed of events, without gaps, for as long as the caller wants. */
import type { Client } from './client.ts'
import { longestTimerMs, pause } from './attempt.ts'
import { ApiError, ConnectionError } from './errors.ts'
import type { Event, EventType } from './generated/types.ts'
import { list } from './lists.ts'
import { jitterMs, retryAfterMs } from './retries.ts'

export interface FollowOptions {
  /** The last event that you have; null: none. Without it, only what happens from now on. */
  after?: string | null | undefined
  signal?: AbortSignal | undefined
  type?: EventType | readonly EventType[] | undefined
  document?: string | undefined
  /** How often to look when nothing happens. Default 2 s. */
  intervalMs?: number | undefined
}

/**
 * Yields events in commit order and goes on through outages. To resume after a restart, keep the id
 * of the last event that you have handled. Ends when the signal aborts.
 */
export async function* eventsFollow(
  client: Client,
  { after, signal, intervalMs = 2_000, ...filters }: FollowOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const read = (query: object) => list<Event>(client, '/v1/events', query, { signal })
  const isFiltered = Object.values(filters).some((one) => one !== undefined)
  let last = after ?? undefined
  let isFromNow = after === undefined
  let failures = 0
  while (!isAborted(signal)) {
    try {
      if (last === undefined) {
        const first = isFromNow ? await newestOf(read) : await oldestOf(read)
        if (first !== undefined && !isFromNow && matches(first, filters)) yield first
        isFromNow = false
        last = first?.id
      }
      if (last !== undefined) {
        const start: string = last
        // Known before the look: where nothing matches, the next one begins after it.
        const newest = isFiltered ? await newestOf(read) : undefined
        for await (const event of read({ ...filters, after: start, limit: 100 })) {
          yield event
          last = event.id
          if (isAborted(signal)) return
        }
        if (last === start) last = newest?.id ?? start
      }
      failures = 0
      await pause(intervalMs, signal)
    } catch (error) {
      if (isAborted(signal)) return
      const delay = delayAfter(error, failures)
      if (delay === undefined) throw error
      failures += 1
      await pause(delay, signal).catch(() => undefined)
    }
  }
}

export const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

const newestOf = async (read: (query: object) => PromiseLike<{ data: Event[] }>) =>
  (await read({ limit: 1 })).data[0]

/** What comes after it is read in commit order, and not kept in memory. */
const oldestOf = async (read: (query: object) => AsyncIterable<Event>) => {
  let oldest: Event | undefined
  for await (oldest of read({ limit: 100 }));
  return oldest
}

const matches = (event: Event, { type, document }: Pick<FollowOptions, 'type' | 'document'>) =>
  (type === undefined || [type].flat().includes(event.type)) &&
  (document === undefined || event.data.document.id === document)

/** Undefined for what the same request would meet again. */
export const delayAfter = (error: unknown, failures: number): number | undefined => {
  if (error instanceof ConnectionError) return jitterMs(failures)
  if (!(error instanceof ApiError)) return undefined
  if (error.headers.get('svc-should-retry') !== 'true') return undefined
  const asked = retryAfterMs(error.headers)
  return asked === undefined ? jitterMs(failures) : Math.min(asked, longestTimerMs)
}
