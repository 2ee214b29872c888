/**
 * Misplaced ids, and cursors of another list, filter or organization (contract 1 and 6), for every
 * operation, generated from the list of operations. `LONG=1` tries every kind of id, and changes
 * every byte of each cursor.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { signCursor } from '../../src/core/cursor.ts'
import { type IdPrefix, decodeId, encodeId, resourceOfPrefix } from '../../src/core/ids.ts'
import { operations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { aFileForm } from '../support/documents/attachments-client.ts'
import { credentialFor, exampleCalls } from '../support/http/example-calls.ts'
import { type Schema, idPlaces, mayBeNull, prefixAt, valueAt } from '../support/http/id-places.ts'
import { withoutIds, assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import {
  type TestOrganization,
  aKey,
  aPair,
  anOrganization,
  connectPair,
} from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const running = await startTestService()
const pair = await aPair(running)
await connectPair(running, pair.issuer, await anOrganization(running, { isDemo: true }))
await connectPair(running, pair.counterparty, await anOrganization(running, { isDemo: true }))

const isLong = process.env['LONG'] === '1'
const allKinds = Object.keys(resourceOfPrefix) as IdPrefix[]
const kinds = isLong ? allKinds : allKinds.slice(0, 3)
/** The short suite takes every third, since the rule has one home for all of them. */
const coveredOperations = operations
  .filter((operation) => isVersioned(operation) && operation.allowed !== 'public')
  .filter((_, i) => isLong || i % 3 === 0)

const callerOf = (operation: Operation, organization: TestOrganization = pair.issuer) => ({
  key: credentialFor(operation, organization),
})

/** The same uuid under every other prefix, and texts that resemble an id. */
const misplaced = (id: string): string[] => {
  const [prefix, rest] = id.split('_') as [IdPrefix, string]
  const uuid = decodeId(prefix, id)!
  return [
    ...kinds.filter((kind) => kind !== prefix).map((kind) => encodeId(kind, uuid)),
    uuid,
    rest,
    id.toUpperCase(),
    `${id}0`,
    id.slice(0, -1),
    ` ${id}`,
    `${prefix}-${rest}`,
    `${prefix}_8${rest.slice(1)}`,
    `${prefix}_${rest.slice(0, -1)}u`,
  ]
}

/**
 * The text of a response without the requested id, its request id, and how to find an id, which
 * only the form of the requested one decides.
 */
const withoutId = (requested: string, { text, ...reply }: Reply): string => {
  const plain = text.replaceAll(requested, 'ID').replace(/ An id looks like [^"]+/, '')
  return withoutIds({ ...reply, text: plain })
}

const bodyWith = (body: unknown, changed: object): object => {
  if (!(body instanceof FormData)) return { ...(body as object), ...changed }
  const form = new FormData()
  for (const [name, value] of Object.entries(changed)) form.set(name, String(value))
  for (const [name, value] of body) if (!form.has(name)) form.set(name, value)
  return form
}

const someId = (prefix: IdPrefix): string =>
  encodeId(prefix, '019aeb9c-8c86-7b46-d9d5-ba81f5a1e1c3')

describe('contract 1: ids of another kind and malformed ids', () => {
  for (const operation of coveredOperations.filter(({ path }) => path.includes('id}'))) {
    test(`${operation.id} answers a wrong id in the path with the 404 of a missing record`, async () => {
      const { path, body } = await exampleCalls[operation.id]!(running, pair)
      const send = (to: string): Promise<Reply> =>
        callApi(running, operation.method, to, { ...callerOf(operation), body })
      for (const id of path.match(/[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}/g)!) {
        const zero = `${id.split('_')[0]}_${'0'.repeat(26)}`
        const missing = withoutId(zero, await send(path.replace(id, zero)))
        for (const wrong of misplaced(id)) {
          const reply = await send(path.replace(id, encodeURIComponent(wrong)))
          const details = assertRefused(reply, 'not_found')
          assert.equal(details.id, wrong)
          assert.equal(withoutId(wrong, reply), missing)
        }
      }
    })
  }

  for (const operation of coveredOperations) {
    for (const place of idPlaces(operation.body as Schema | undefined)) {
      const param = `/${place.map((part) => (part === '*' ? '0' : part)).join('/')}`
      test(`${operation.id} answers a wrong id at ${param} with 400 and names the field`, async () => {
        const { path, body } = await exampleCalls[operation.id]!(running, pair)
        const right = someId(prefixAt(operation.body, place))
        const noIds = mayBeNull(operation.body, place) ? ['', 7, {}] : ['', 7, {}, null]
        for (const wrong of [...misplaced(right), ...noIds]) {
          const sent = bodyWith(body, valueAt(place, wrong as string) as object)
          const options = { ...callerOf(operation), body: sent }
          const reply = await callApi(running, operation.method, path, options)
          const { errors } = assertRefused(reply, 'invalid_request')
          const params = errors.map((problem: { param: string }) => problem.param)
          assert(params.includes(param), `${JSON.stringify(wrong)}: ${reply.text}`)
        }
      })
    }

    for (const place of idPlaces(operation.query as Schema | undefined)) {
      const [name, ...list] = place as [string]
      test(`${operation.id} answers a wrong id as ${name} with 400 and names the parameter`, async () => {
        const { path, body } = await exampleCalls[operation.id]!(running, pair)
        const right = someId(prefixAt(operation.query, place))
        const [bare] = path.split('?')
        for (const wrong of ['', ...misplaced(right)]) {
          for (const value of list.length > 0 ? [wrong, `${right},${wrong}`] : [wrong]) {
            const requestPath = `${bare}?${name}=${encodeURIComponent(value)}`
            const reply = await callApi(running, operation.method, requestPath, {
              ...callerOf(operation),
              body,
            })
            assertProblems(reply, `${name} invalid_value`)
          }
        }
      })
    }
  }
})

type Properties = { properties?: Record<string, unknown> } | undefined
const lists = coveredOperations.filter(
  ({ query }) => (query as Properties)?.properties?.['cursor'] !== undefined,
)

/** The path of a first page and the cursor of the next item. */
const firstPage = async (operation: Operation) => {
  const example = exampleCalls[operation.id]!
  await example(running, pair)
  const { path } = await example(running, pair)
  for (let i = 0; i < 2; i += 1) await createOneMore[operation.id]?.(path)
  const paged = `${path}?limit=1`
  let cursor = ''
  await until(`${operation.id} has a second page`, async () => {
    const { status, text, body } = await callApi(running, 'GET', paged, callerOf(operation))
    assert.equal(status, 200, text)
    cursor = body.next_cursor
    return cursor !== null
  })
  return { path: paged, cursor }
}

/** Creates one more row where the example call of a list does not. */
const createOneMore: Record<string, (path: string) => Promise<unknown>> = {
  'attachments.list': (path) =>
    callApi(running, 'POST', path, { key: pair.issuer.key, body: aFileForm() }),
  'approval_rules.list': (path) =>
    callApi(running, 'POST', path, {
      key: pair.issuer.session,
      body: {
        name: 'Large payments',
        when: { operation: 'documents.pay', amount_above: 1_000_000, currency: 'USD' },
      },
    }),
  'documents.comments.list': (path) =>
    callApi(running, 'POST', path, { key: pair.issuer.key, body: { text: 'Call them.' } }),
  'saved_views.list': (path) =>
    callApi(running, 'POST', path, {
      key: pair.issuer.session,
      body: { name: 'Drafts', list: 'documents', query: 'status=draft' },
    }),
  'webhooks.list': (path) =>
    callApi(running, 'POST', path, {
      key: pair.issuer.session,
      body: { url: 'https://public.example/hooks' },
    }),
  'deliveries.list': (path) =>
    callApi(running, 'POST', path.replace('/deliveries', '/ping'), { key: pair.issuer.session }),
  'keys.list': () => aKey(running, pair.issuer, ['documents:read']),
  'sandboxes.list': () => callApi(running, 'POST', '/v1/sandboxes', { key: pair.issuer.session }),
}

describe('contract 6: a cursor of another query', () => {
  const pages = new Map<string, { path: string; cursor: string }>()
  before(async () => {
    for (const operation of lists) pages.set(operation.id, await firstPage(operation))
  })

  for (const operation of lists) {
    const refused = async (cursor: string, organization?: TestOrganization): Promise<void> => {
      const { path } = pages.get(operation.id)!
      const requestPath = `${path}&cursor=${encodeURIComponent(cursor)}`
      const reply = await callApi(running, 'GET', requestPath, callerOf(operation, organization))
      assertProblems(reply, 'cursor invalid_cursor')
    }

    test(`${operation.id} refuses a foreign, altered, truncated or forged cursor`, async () => {
      for (const { id } of lists) {
        if (id !== operation.id) await refused(pages.get(id)!.cursor)
      }
      const { path, cursor } = pages.get(operation.id)!
      const key = running.service.context.keyring
      for (const forged of ['', 'x', '1', 'null', signCursor(key.fileLinks.newest, 'x', '1')]) {
        await refused(forged)
      }
      await refused(signCursor(key.cursors.newest, operation.id, '1'))
      const good = await callApi(running, 'GET', `${path}&cursor=${cursor}`, callerOf(operation))
      assert.equal(good.status, 200, good.text)
      const bytes = Buffer.from(cursor, 'base64url')
      for (let at = 0; at < bytes.length; at += isLong ? 1 : 12) {
        const changed = Buffer.from(bytes)
        changed[at]! ^= 1
        await refused(changed.toString('base64url'))
        if (at > 0) await refused(bytes.subarray(0, at).toString('base64url'))
      }
      for (const padded of [`${cursor}A`, `${cursor}=`, ` ${cursor}`]) await refused(padded)
      // A list below a record answers others with 404, whatever the cursor.
      // Lists of loans answer an organization that has not set finance up with 403.
      const isOfLoans = operation.family === 'finance'
      if (!isOfLoans && !/\/[a-z]+_/.test(path)) await refused(cursor, pair.counterparty)
    })

    const filters = Object.entries((operation.query as Properties)!.properties!)
    const values = filters.flatMap(([name, schema]) => sampleOf(name, schema as Schema))
    if (values.length === 0) continue
    test(`${operation.id} refuses a cursor once a filter is set`, async () => {
      const { path, cursor } = pages.get(operation.id)!
      for (const filter of values) {
        const reply = await callApi(running, 'GET', `${path}&${filter}&cursor=${cursor}`, {
          ...callerOf(operation),
        })
        assertProblems(reply, 'cursor invalid_cursor')
      }
    })
  }
})

/** A filter with a sample value, as in a query. */
function sampleOf(name: string, schema: Schema & { enum?: string[]; format?: string }): string[] {
  if (['cursor', 'limit', 'after', 'fields'].includes(name)) return []
  const item = (schema.items ?? schema) as { enum?: string[]; format?: string } & Schema
  const prefix = /^\^([a-z]+)_/.exec(item.pattern ?? '')?.[1] as IdPrefix | undefined
  const value =
    item.enum?.[0] ??
    (prefix === undefined ? undefined : someId(prefix)) ??
    (item.format === undefined ? '200' : '2026-11-21')
  return [`${name}=${value}`]
}
