/** The body of a ping (contract 7), which says nothing but that it is one. */
import { encodeId } from '../ids.ts'

interface Ping {
  event_id: string
  api_version: string
  created_at: string
  mode: string
}

export const pingPayload = ({ event_id, api_version, created_at, mode }: Ping): string =>
  JSON.stringify({
    id: encodeId('evt', event_id),
    type: 'ping',
    api_version,
    created_at,
    data: {},
    ...(mode === 'test' ? { sandbox: true } : {}),
  })

const head = /^\{"id":"(\w+)","type":"ping","api_version":"[\d.]+","created_at":"[\d:.TZ-]+",/
const tail = /^"data":\{\}(,"sandbox":true)?\}$/

/** Whether a stored text is a ping with this id, of whatever release and time. */
export const isPingPayload = (eventId: string, text: string): boolean => {
  const [start = '', id] = head.exec(text) ?? []
  return id === encodeId('evt', eventId) && tail.test(text.slice(start.length))
}
