/** A reader of GET /v1/stream. */
import type { TestService } from '../test-service.ts'

export interface StreamedChange {
  id: string
  type: string
  object: string | null
  record: string | null
}

export interface OpenStream {
  response: Response
  /** Those received so far. */
  changes(): StreamedChange[]
  received: { text: string; hasEnded: boolean }
  close(): void
}

export const openStream = async (
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  key: string,
  lastEventId?: string,
): Promise<OpenStream> => {
  const abort = new AbortController()
  const response = await fetch(`${baseUrl}/v1/stream`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  })
  const received = { text: '', hasEnded: false }
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) received.text += decoder.decode(chunk)
  })()
  reading.catch(() => undefined).finally(() => (received.hasEnded = true))
  const changes = (): StreamedChange[] =>
    [...received.text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id, data]) => {
      const { type, object, id: record } = JSON.parse(data!)
      return { id: id!, type, object, record }
    })
  return { response, changes, received, close: () => abort.abort() }
}
