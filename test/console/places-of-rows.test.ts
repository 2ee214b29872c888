/** A row of a long list that has changed stands where the service has it (console 1.8). */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'

interface Row {
  id: string
  direction: 'received'
  created_at: string
  issued_at: string
  status: string
}

/** Many documents are issued in the same millisecond. */
const at = '2026-11-30T12:00:00.000Z'
const rowOf = (place: number, status = 'submitted', time = at): Row => ({
  id: `doc_${String(place).padStart(3, '0')}`,
  direction: 'received',
  created_at: time,
  issued_at: time,
  status,
})

/** What the service has, newest first. */
const service = { rows: [] as Row[], calls: 0, hold: undefined as Promise<void> | undefined }

const answer = async (url: string): Promise<Response> => {
  service.calls += 1
  const query = new URL(url, 'http://localhost').searchParams
  const [ids, status] = [query.get('id')!.split(','), query.get('status')]
  assert(ids.length <= 50)
  const data = service.rows.filter(
    (row) => ids.includes(row.id) && (status === null || row.status === status),
  )
  await service.hold
  return Response.json({ data, next_cursor: null })
}

const globals: PropertyDescriptorMap = {
  fetch: { value: answer },
  addEventListener: { value: () => undefined },
  location: { value: { pathname: '/app' } },
}
const before = Object.keys(globals).map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
)
for (const [name, descriptor] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { ...descriptor, configurable: true })

/** The next test file of this process has what Node.js offers. */
const restoreGlobals = () => {
  for (const [name, descriptor] of before) {
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
    else Object.defineProperty(globalThis, name, descriptor)
  }
}

/** Its own compiler knows the types of a browser, and this one does not. */
const path: string = '../../console/src/api/long-lists.ts'
const { updateLists } = (await import(path)) as {
  updateLists(cache: object, lists: object[], changed: readonly string[]): Promise<void>
}

/** A list of those in a state, of which so many rows were read. */
const listOf = (rows: readonly Row[], { status = 'submitted', isWhole = true } = {}) => {
  const half = Math.ceil(rows.length / 2)
  const [first, second] = [rows.slice(0, half), rows.slice(half)]
  const shown = {
    data: {
      pages: [
        { data: first, next_cursor: 'second' },
        { data: second, next_cursor: isWhole ? null : 'third' },
      ],
      pageParams: [],
    },
    readAgain: 0,
  }
  const list = { queryKey: ['org_1', '/v1/documents', { status }], state: { fetchStatus: 'idle' } }
  const cache = {
    getQueryData: () => shown.data,
    setQueryData: (_: unknown, next: unknown) =>
      (shown.data = (typeof next === 'function' ? next(shown.data) : next) as typeof shown.data),
    invalidateQueries: async () => void (shown.readAgain += 1),
  }
  return {
    shown,
    update: (...changed: string[]) => updateLists(cache, [list], changed),
    ids: () => shown.data.pages.flatMap(({ data }) => data.map(({ id }) => id)),
    statusOf: (id: string) =>
      shown.data.pages.flatMap(({ data }) => data).find((row) => row.id === id)?.status,
  }
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

describe('a row of a long list', () => {
  after(restoreGlobals)

  for (const place of [0, 1, 77, 498, 499])
    test(`one that comes in at ${place} of 500 of the same moment stands where the service has it`, async () => {
      service.rows = Array.from({ length: 500 }, (_, i) => rowOf(i))
      const list = listOf(service.rows.filter((_, i) => i !== place))
      service.calls = 0
      await list.update(rowOf(place).id)
      assert.deepEqual(list.ids(), idsOf(service.rows))
      assert.equal(list.shown.readAgain, 0)
      assert(service.calls <= 3, `it took ${service.calls} calls`)
    })

  test('several that come in, of a sandbox whose clock is ahead, have the order of the service', async () => {
    const ahead = '2027-06-01T00:00:00.000Z'
    const cameIn = [3, 4, 120, 240]
    service.rows = Array.from({ length: 250 }, (_, i) =>
      rowOf(i, 'submitted', cameIn.includes(i) ? ahead : at),
    )
    const list = listOf(service.rows.filter((_, i) => !cameIn.includes(i)))
    await list.update(...cameIn.map((i) => rowOf(i).id))
    assert.deepEqual(list.ids(), idsOf(service.rows))
  })

  test('one that is older than all that were read is not among them', async () => {
    service.rows = Array.from({ length: 101 }, (_, i) => rowOf(i))
    const list = listOf(service.rows.slice(0, 100), { isWhole: false })
    await list.update(rowOf(100).id)
    assert.deepEqual(list.ids(), idsOf(service.rows.slice(0, 100)))
  })

  test('one that leaves together with another that comes in is gone', async () => {
    service.rows = Array.from({ length: 200 }, (_, i) => rowOf(i, i === 50 ? 'paid' : 'submitted'))
    const list = listOf(service.rows.filter((_, i) => i !== 49).map((row) => ({ ...row })))
    await list.update(rowOf(49).id, rowOf(50).id)
    assert.deepEqual(list.ids(), idsOf(service.rows.filter(({ status }) => status === 'submitted')))
  })

  test('more than one call can place are read with the whole list', async () => {
    service.rows = Array.from({ length: 200 }, (_, i) => rowOf(i))
    const list = listOf(service.rows.slice(30))
    await list.update(...idsOf(service.rows.slice(0, 30)))
    assert.equal(list.shown.readAgain, 1)
  })

  test('an answer that is late takes back nothing that a later one has told', async () => {
    service.rows = Array.from({ length: 200 }, (_, i) => rowOf(i))
    const list = listOf(service.rows)
    const { promise, resolve } = Promise.withResolvers<void>()
    service.hold = promise
    const late = list.update(rowOf(7).id, rowOf(8).id)
    service.hold = undefined
    service.rows = service.rows.map((row) => (row.id === 'doc_007' ? rowOf(7, 'paid') : row))
    await list.update(rowOf(7).id)
    resolve()
    await late
    assert.equal(list.statusOf('doc_007'), undefined)
    assert.equal(list.statusOf('doc_008'), 'submitted')
  })
})
