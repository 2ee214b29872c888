/** Everything that an organization can read, in any form, as text by where it was read. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { renderFormats } from '../../../src/contract/render-formats.ts'
import { type Reply, callApi } from '../api-client.ts'
import { readPdf } from '../documents/pdf-reader.ts'
import type { TestOrganization } from '../fixtures.ts'
import { allPages } from '../http/all-pages.ts'
import type { TestService } from '../test-service.ts'
import { until } from '../until.ts'
import { type Receiver, startReceiver, subscribe } from '../webhooks/receiver.ts'

const lists = [
  'documents',
  'events',
  'payments',
  'connections',
  'treasury/accounts',
  'approvals',
  'treasury/transactions',
  'finance/listings',
  'finance/offers',
  'finance/agreements',
] as const

const listsOfAdmins = ['requests', 'audit', 'members'] as const

const single = [
  'documents.csv',
  'payments.csv',
  'me',
  'organization',
  'treasury/balances',
  'finance/setup',
  'statistics?metric=ageing',
  'statistics?metric=documents',
] as const

const renders = renderFormats.map((format) => `/render?format=${format}`)

const readsOf: Readonly<Record<string, readonly string[]>> = {
  documents: [
    '',
    '/history',
    '/lineage',
    '/export',
    '/transitions',
    '/attachments',
    '/comments',
    '/receipts/1',
    ...renders,
    '/render?format=pdf&proof=1',
  ],
  events: [''],
  connections: [''],
  payments: [''],
  'treasury/transactions': [''],
  'finance/listings': [''],
  'finance/offers': ['', '/authorization'],
  'finance/agreements': ['', '/repayment', '/export'],
}

/** The words on the pages, and what is embedded: XML, the proof and the metadata. */
export const textOfPdf = (bytes: Buffer): string => {
  const { pages, streams } = readPdf(bytes)
  const embedded = [...streams.values()].filter((data) => /^\s*[<{]/.test(data.toString('latin1')))
  return [...pages, ...embedded.map((data) => data.toString())].join('\n')
}

/** The text of a response. Only an export may be refused, where its document has no such form. */
const textAt = async (running: TestService, key: string, path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${running.baseUrl}/v1/${path}`, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isRender = path.includes('/render?')
  const expected = isRender ? [200, 406, 409] : [200]
  assert(expected.includes(response.status), `${path}: ${response.status} ${bytes.toString()}`)
  const isPdf = response.headers.get('content-type') === 'application/pdf'
  return isPdf ? textOfPdf(bytes) : bytes.toString()
}

const statementsOf = (accounts: readonly Reply['body'][]): string[] => {
  const to = new Date().toISOString().slice(0, 10)
  const from = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  return accounts
    .filter(({ currency }) => currency === 'USD')
    .flatMap(({ id }) =>
      ['csv', 'camt053'].map(
        (format) => `treasury/accounts/${id}/statement?format=${format}&from=${from}&to=${to}`,
      ),
    )
}

export interface Reader extends TestOrganization {
  receiver: Receiver
  /** What GET /v1/stream has sent so far. */
  streamed(): string
}

/** Follows the stream from now on, until the tests of the file are over. */
const followStream = async ({ baseUrl }: TestService, key: string): Promise<() => string> => {
  const closed = new AbortController()
  const { signal } = closed
  after(() => closed.abort())
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${baseUrl}/v1/stream`, { headers, signal })
  assert.equal(response.status, 200)
  let text = ''
  const reading = (async () => {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece
  })()
  reading.catch((error: unknown) => assert(signal.aborted, String(error)))
  return () => text
}

/** Subscribes the organization to all of its events, and to its stream. */
export const asReader = async (
  running: TestService,
  organization: TestOrganization,
): Promise<Reader> => {
  const receiver = await startReceiver()
  await subscribe(running, organization, receiver.url)
  return { ...organization, receiver, streamed: await followStream(running, organization.key) }
}

/** Waits until each event of the feed was delivered, and is in the stream. */
export const untilAllIsTold = async (
  running: TestService,
  { key, receiver, streamed }: Reader,
): Promise<void> => {
  const events = await allPages(running, key, '/v1/events?limit=100')
  const areDelivered = () => new Set(receiver.received.map(({ event }) => event.id)).size
  await until('all events are delivered', () => areDelivered() >= events.length)
  await until('all of them are streamed', () => streamed().includes(`id: ${events.length}\n`))
}

/** Every list, every read of every record in it, every file and every delivery. */
export const everythingReadableBy = async (
  running: TestService,
  reader: Reader,
): Promise<ReadonlyMap<string, string>> => {
  await untilAllIsTold(running, reader)
  const { key, session, receiver, streamed } = reader
  const texts = new Map<string, string>([['stream', streamed()]])
  const add = async (path: string) => void texts.set(path, await textAt(running, key, path))
  for (const list of lists) {
    const rows = await allPages(running, key, `/v1/${list}?limit=100`)
    texts.set(list, JSON.stringify(rows))
    // A listing that has ended is read by those who have made an offer for it.
    const listings = list === 'finance/offers' ? rows.map(({ listing_id }) => listing_id) : []
    for (const id of new Set(listings)) await add(`finance/listings/${id}`)
    for (const { id } of rows) {
      for (const rest of readsOf[list] ?? []) await add(`${list}/${id}${rest}`)
    }
    if (list === 'treasury/accounts') for (const path of statementsOf(rows)) await add(path)
  }
  for (const path of single) await add(path)
  for (const [i, { rawBody }] of receiver.received.entries()) texts.set(`delivery ${i}`, rawBody)
  for (const list of listsOfAdmins) {
    texts.set(list, JSON.stringify(await allPages(running, session, `/v1/${list}?limit=100`)))
  }
  const { body } = await callApi(running, 'GET', '/v1/webhooks', { key: session })
  for (const { id } of body.data) {
    const path = `/v1/webhooks/${id}/deliveries`
    for (const delivery of await allPages(running, session, `${path}?limit=100`)) {
      const detail = `${path}/${delivery.id}`
      texts.set(detail, (await callApi(running, 'GET', detail, { key: session })).text)
    }
  }
  return texts
}
