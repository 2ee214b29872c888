/** Catching up by `updated_since` (specification 1 and 4.1, contract 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { eachPage } from '../../support/http/all-pages.ts'
import { type TestOrganization, aDraft, aPair } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService()

// oxlint-disable-next-line typescript/no-explicit-any -- rows of a response
type Row = any

/**
 * All rows changed since then, inclusive, and the start of the next sweep: the latest change on the
 * first page, because changes made while later pages are read may be on a page already read.
 */
const sweep = async (
  since: string,
  { key }: TestOrganization,
): Promise<{ rows: Row[]; next: string }> => {
  const rows: Row[] = []
  let next = since
  const path = `/v1/documents?limit=7&updated_since=${encodeURIComponent(since)}`
  for await (const { data } of eachPage(running, key, path)) {
    if (rows.length === 0) for (const row of data) if (row.updated_at > next) next = row.updated_at
    rows.push(...data)
  }
  return { rows, next }
}

test('updated_since is inclusive and exact to the stored precision', async () => {
  const pair = await aPair(running)
  const { updated_at: at, id } = await aDraft(running, pair)
  const seenSince = async (since: string) => {
    const { rows } = await sweep(since, pair.issuer)
    return rows.some((row) => row.id === id)
  }
  assert(await seenSince(at))
  assert(await seenSince(at.replace('Z', '+00:00')))
  assert(await seenSince(at.replace('Z', '000000Z')))
  assert(await seenSince(at.slice(0, 10)))
  assert.equal(await seenSince(at.replace('Z', '001Z')), false, 'a finer instant is later')
  const next = new Date(Date.parse(at) + 1).toISOString()
  assert.equal(await seenSince(next), false)
})

test('a transition sets the same updated_at for both sides', async () => {
  const pair = await aPair(running)
  const draft = await aDraft(running, pair)
  const path = `/v1/documents/${draft.id}/issue`
  const { body } = await callApi(running, 'POST', path, { key: pair.issuer.key })
  for (const side of [pair.issuer, pair.counterparty]) {
    const { rows } = await sweep(body.updated_at, side)
    assert.deepEqual(
      rows.map(({ id, updated_at }) => [id, updated_at]),
      [[draft.id, body.updated_at]],
    )
  }
})

test('sweeps during the edits of 20 writers lose no change', async () => {
  const pair = await aPair(running)
  const { issuer } = pair
  const second = await running.startAnother()
  const drafts: Row[] = []
  for (let i = 0; i < 20; i += 1) drafts.push(await aDraft(running, pair))

  const seen = new Map<string, number>()
  let since = drafts[0].updated_at
  const catchUp = async (): Promise<void> => {
    const { rows, next } = await sweep(since, issuer)
    for (const row of rows) seen.set(row.id, Math.max(row.revision, seen.get(row.id) ?? 0))
    since = next
  }

  let writers = drafts.length
  const writing = Promise.all(
    drafts.map(async ({ id }, i) => {
      for (let edit = 1; edit <= 15; edit += 1) {
        const at = (i + edit) % 2 === 0 ? running : second
        const body = { notes: `Edit ${edit}` }
        const path = `/v1/documents/${id}`
        const { status, text } = await callApi(at, 'PATCH', path, { key: issuer.key, body })
        assert.equal(status, 200, text)
      }
      writers -= 1
    }),
  )
  let sweeps = 0
  await until('all have written', async () => {
    await catchUp()
    sweeps += 1
    return writers === 0
  })
  await writing
  await catchUp()

  assert(sweeps > 1, 'the sweeps ran while the writers wrote')
  assert.deepEqual([...seen.values()], Array(20).fill(16), 'each last revision was seen')
})
