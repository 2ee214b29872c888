/**
 * What changes elsewhere is seen here within a second. One tab of the browser reads the stream of an
 * organization and tells the others: a browser opens only a few connections to one host.
 */
import type { Changed } from './changes.ts'
import { renewSession, sessionToken } from './session.ts'

type OnChange = (changed: Changed) => void

/** A session that was ended is seen when its stream is opened again: within two seconds in all. */
const retryMs = { first: 250, most: 30_000 }

/** Calls back whenever something may have changed, until it is stopped. */
export const followChanges = (organization: string, onChange: OnChange): (() => void) => {
  const stopped = new AbortController()
  const { signal } = stopped
  const tabs = new BroadcastChannel(`changes ${organization}`)
  tabs.onmessage = ({ data }: MessageEvent<Changed>) => onChange(data)
  const tellAll = (changed: Changed) => {
    onChange(changed)
    tabs.postMessage(changed)
  }
  const lead = () => readForever(tellAll, signal)
  if ('locks' in navigator)
    navigator.locks.request(`stream ${organization}`, { signal }, lead).catch(() => undefined)
  return () => {
    stopped.abort()
    tabs.close()
  }
}

const readForever = async (onChange: OnChange, signal: AbortSignal): Promise<void> => {
  const position = { lastId: '' }
  let waitMs = retryMs.first
  while (!signal.aborted) {
    const hasOpened = await readStream(position, onChange, signal).catch(() => false)
    waitMs = hasOpened ? retryMs.first : Math.min(waitMs * 2, retryMs.most)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    // Until the next stream is open, changes may be missed; without one, they are looked for.
    const isWithout = position.lastId === '' || waitMs === retryMs.most
    if (!signal.aborted && isWithout) onChange(null)
  }
}

/** The service sends something every 25 seconds: a line that is silent for longer is dead. */
const silenceMostMs = 60_000

/** Whether the stream was open, once it has ended. */
const readStream = async (
  position: { lastId: string },
  onChange: OnChange,
  signal: AbortSignal,
): Promise<boolean> => {
  const silence = new AbortController()
  const silent = () => setTimeout(() => silence.abort(), silenceMostMs)
  let timer = silent()
  const stopped = AbortSignal.any([signal, silence.signal])
  stopped.addEventListener('abort', () => clearTimeout(timer))
  const response = await fetch('/v1/stream', {
    headers: {
      authorization: `Bearer ${sessionToken()}`,
      ...(position.lastId === '' ? {} : { 'last-event-id': position.lastId }),
    },
    signal: stopped,
  })
  if (response.status === 401) return (await renewSession()) === 'renewed'
  if (!response.ok || response.body === null) return false
  // The stream repeats what has changed of documents since, and nothing of connections.
  if (position.lastId !== '') onChange(null)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    clearTimeout(timer)
    if (done) return true
    timer = silent()
    const events = (text + value).split('\n\n')
    text = events.pop()!
    const ids = events.flatMap((event) => /^id: (\d+)$/m.exec(event)?.[1] ?? [])
    position.lastId = ids.at(-1) ?? position.lastId
    if (events.some((event) => /^data: /m.test(event))) onChange(documentsOf(events))
  }
}

/** What they name, unless one is about something else. */
const documentsOf = (events: readonly string[]): Changed => {
  const named = events.flatMap((event) => /^data: (.+)/m.exec(event)?.[1] ?? [])
  const ids = named.map((data) => (JSON.parse(data) as { id?: string }).id ?? '')
  return ids.every((id) => id.startsWith('doc_')) ? new Set(ids) : null
}
