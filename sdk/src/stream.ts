/** The stream of changes, through outages, for as long as the caller wants. */
import { pause } from './attempt.ts'
import type { Client } from './client.ts'
import { ConnectionError } from './errors.ts'
import { delayAfter, isAborted } from './follow.ts'
import type { Connection, EventType } from './generated/types.ts'
import { jitterMs } from './retries.ts'

export interface StreamOptions {
  /** The `last_event_id` of the last change that you have. Without it, only what changes now. */
  lastEventId?: string | undefined
  signal?: AbortSignal | undefined
}

interface Named {
  id: string
  updated_at: string
  last_event_id: string
}

/** The name of a change, without its content. */
export type DocumentChange =
  | (Named & { type: EventType; object: 'document' })
  | (Named & { type: `connection.${Connection['status']}`; object: 'connection' })
  /** Changes may be missing: load everything again. */
  | { type: 'resync'; object: null; id: null; last_event_id: string }

/** The service sends something at least every 25 seconds. */
const silenceMaxMs = 60_000

/** Yields changes as they happen and opens a lost stream again, until the signal aborts. */
export async function* followStream(
  client: Client,
  path: string,
  { lastEventId, signal }: StreamOptions = {},
): AsyncGenerator<DocumentChange, void, undefined> {
  let last = lastEventId
  let failures = 0
  while (!isAborted(signal)) {
    let delay = jitterMs(failures)
    try {
      for await (const { id, data } of serverSentEvents(client, path, last, signal)) {
        failures = 0
        last = id
        if (data !== undefined) {
          yield { ...(JSON.parse(data) as DocumentChange), last_event_id: id }
        }
      }
    } catch (error) {
      if (isAborted(signal)) return
      const asked = delayAfter(error, failures)
      if (asked === undefined) throw error
      delay = asked
    }
    failures += 1
    await pause(delay, signal).catch(() => undefined)
  }
}

interface ServerSentEvent {
  id: string
  data: string | undefined
}

async function* serverSentEvents(
  client: Client,
  path: string,
  last: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (isAborted(signal)) return
  signal?.addEventListener('abort', abort)
  let timer = setTimeout(abort, silenceMaxMs)
  try {
    const headers = last === undefined ? {} : { 'last-event-id': last }
    const response = await client.open(path, headers, controller.signal)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectionError('The stream was interrupted.', { cause })
      })
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(abort, silenceMaxMs)
      const blocks = (text + value).split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const id = /^id: (.+)$/m.exec(block)?.[1]
        if (id !== undefined) yield { id, data: /^data: (.+)$/m.exec(block)?.[1] }
      }
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    controller.abort()
  }
}
