/** Of a list that was followed far down, only what changes is read again (console 1.8). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, post, get } = started

const pageCount = 4
const draftCount = 50 * pageCount
const key = practice?.organization.api_key ?? ''

const addDraft = async (description: string): Promise<string> =>
  (
    await post(key, '/v1/documents', {
      connection_id: practice.connection_id,
      document_type: 'invoice',
      external_refs: { issuer_ref: description },
      line_items: [{ description, quantity: 1, unit_price: 10, tax_rate: 0 }],
    })
  ).id

/** The references of the rows, in their order. */
const shown = () =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[data-row]')].map(
    (row) => (/Larch|Ash|Elm|Fir/.exec(row.innerText) ?? [''])[0])`)

const asked: string[] = []

describe('a list of which many pages were read', { skip: skipsLong ?? false }, () => {
  const ids: string[] = []

  test('it is followed far down', async () => {
    for (let i = 0; i < draftCount; i += 20)
      ids.push(...(await Promise.all(Array.from({ length: 20 }, () => addDraft('Larch')))))
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(at('/documents?view=drafts'))
    for (let pages = 1; pages < pageCount; pages++) {
      await page.locator(`[data-row]:nth-child(${50 * pages})`).waitFor()
      await page.getByRole('button', { name: 'Show more' }).click()
    }
    await page.locator(`[data-row]:nth-child(${draftCount})`).waitFor()
    page.on('request', (request) => asked.push(request.url()))
  })

  test('a new document is the first row, and no page below is read for it', async () => {
    asked.length = 0
    await addDraft('Ash')
    await until('it is the first', async () => (await shown())[0] === 'Ash')
    const rows = await shown()
    assert.equal(rows.length, draftCount + 1)
    assert.deepEqual(
      asked.filter((url) => url.includes('cursor=')),
      [],
    )
    assert.deepEqual(
      asked.filter((url) => url.includes('/v1/connections')),
      [],
    )
  })

  test('one on the last page changes in its place, and leaves when it no longer matches', async () => {
    const [changed, left] = [ids[10]!, ids[12]!]
    asked.length = 0
    await post(key, `/v1/documents/${left}/transition`, { to: 'cancelled' })
    await until('it has left', async () => (await shown()).length === draftCount)
    const place = (await placesOf([changed]))[0]!
    await post(key, `/v1/documents/${changed}/issue`)
    await until('it has left', async () => (await shown()).length === draftCount - 1)
    assert(place > 50 * (pageCount - 1))
    assert.deepEqual(
      asked.filter((url) => url.includes('cursor=')),
      [],
    )
  })

  test('the rows are those of the service, in its order', async () => {
    const listed: string[] = []
    let cursor = ''
    while (listed.length < draftCount - 1) {
      const { data, next_cursor } = await get(key, `/v1/documents?phase=draft&limit=100${cursor}`)
      listed.push(...data.map(({ id }: { id: string }) => id))
      cursor = `&cursor=${next_cursor}`
    }
    const rows = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row)`,
    )
    assert.deepEqual(rows, listed.slice(0, rows.length))
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})

const placesOf = (wanted: readonly string[]): Promise<number[]> =>
  page.evaluate<number[]>(`(() => {
    const ids = [...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row)
    return ${JSON.stringify(wanted)}.map((id) => ids.indexOf(id))
  })()`)
