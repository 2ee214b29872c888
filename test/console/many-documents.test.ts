/** Hundreds of documents at once: all that match are selected, and each is decided by itself. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { practice, page, complaints, at, get, post } = started

/** So many can be selected at once (40 pages of 50). */
const selectedMost = 2_000

const bulkCount = 500

describe('many documents', { skip: skipsLong ?? false }, () => {
  const ours = practice?.organization.api_key
  const dialog = () => page.getByRole('dialog')

  const draft = async (description: string, more: object = {}): Promise<string> => {
    const { id } = await post(ours, '/v1/documents', {
      connection_id: practice.connection_id,
      document_type: 'invoice',
      line_items: [{ description, quantity: 1, unit_price: 10, tax_rate: 0 }],
      ...more,
    })
    return id
  }

  const drafts = async (count: number, word: string): Promise<string[]> => {
    const ids: string[] = []
    while (ids.length < count) {
      const next = Math.min(20, count - ids.length)
      ids.push(...(await Promise.all(Array.from({ length: next }, () => draft(word)))))
    }
    return ids
  }

  const selectAll = async (word: string): Promise<void> => {
    await page.goto(at(`/documents?query=${word}`))
    await page
      .getByRole('link', { name: /^INV-|^Draft$/ })
      .first()
      .waitFor()
    await page.keyboard.press('*')
  }

  const progress = () => page.evaluate<number>(`document.querySelector('progress')?.value ?? -1`)

  /** The service answers the writes of an organization one by one: what goes on is not stuck. */
  const dialogReads = async (lead: string): Promise<void> => {
    const isRead = async () => (await dialog().getByText(lead).count()) === 1
    while (!(await isRead())) {
      const before = await progress()
      await until(
        `“${lead}”, or more progress than ${before}`,
        async () => (await isRead()) || (await progress()) !== before,
      )
    }
  }

  const shownRows = (): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('[role="dialog"] li')].map(
      (one) => one.textContent)`)

  test('console 1.2: of 500 drafts, what is refused says why first, and the others are issued once', async () => {
    const late = await draft('Larch', { due_date: inDays(1) })
    const past = await draft('Larch', { document_type: 'quote', valid_until: inDays(1) })
    await post(ours, '/v1/sandbox/clock', { advance_by: 'P3D' })
    const ids = await drafts(bulkCount - 2, 'Larch')
    const [cancelled, early] = [ids[7]!, ids[400]!]
    await selectAll('Larch')
    await page.getByText(`${bulkCount} selected`).waitFor()
    await page.keyboard.press('i')
    await dialogReads('498 of 500 can be done; the others say why not.')
    const numberOf = async (id: string) => (await get(ours, `/v1/documents/${id}`)).number
    const [quote, invoice, possible] = await shownRows()
    assert.match(quote!, new RegExp(`${await numberOf(past)}.*Refused.*valid until`))
    assert.match(invoice!, new RegExp(`${await numberOf(late)}.*Refused.*due date .* is past`))
    assert.match(possible!, /Possible/)
    assert.equal(await dialog().getByRole('progressbar').count(), 1)
    // Meanwhile, others change two of them.
    await post(ours, `/v1/documents/${cancelled}/transition`, { to: 'cancelled' })
    await post(ours, `/v1/documents/${early}/issue`)
    await page.keyboard.press('Enter')
    await dialogReads('Done. What was refused is listed with its reason.')
    const rows = await shownRows()
    assert.equal(rows.filter((row) => row.endsWith('Done')).length, bulkCount - 4)
    const changed = [await numberOf(early), await numberOf(cancelled)]
    for (const number of changed)
      assert(rows.slice(0, 4).some((row) => row.includes(number) && row.includes('has changed')))
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.keyboard.press('Enter')
    await dialog().waitFor({ state: 'hidden' })
  })

  test('a repeat of it issues nothing again', async () => {
    await selectAll('Larch')
    await page.getByText(`${bulkCount} selected`).waitFor()
    const { data: before } = await get(ours, '/v1/events?type=document.status_changed&limit=1')
    await page.keyboard.press('i')
    await dialogReads('0 of 500 can be done; the others say why not.')
    const { data: after } = await get(ours, '/v1/events?type=document.status_changed&limit=1')
    assert.equal(after[0].id, before[0].id)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
  })

  test('whoever stops is told how many were not sent, and those stay as they are', async () => {
    const ids = await drafts(150, 'Hazel')
    await selectAll('Hazel')
    await page.getByText(`${ids.length} selected`).waitFor()
    await page.keyboard.press('i')
    await dialogReads('All of them can be done.')
    await page.keyboard.press('Enter')
    await dialog().getByRole('button', { name: 'Stop' }).click()
    await dialog()
      .getByText(/^Stopped: /)
      .waitFor()
    const [, said] = /Stopped: (\d+) documents? stay/.exec(await dialog().innerText())!
    const isDraft = async (id: string) =>
      (await get(ours, `/v1/documents/${id}`)).status === 'draft'
    const left = await Promise.all(ids.map(isDraft))
    assert.equal(left.filter(Boolean).length, Number(said))
    assert(Number(said) > 0)
    await dialog().getByRole('button', { name: 'Close' }).last().click()
    await dialog().waitFor({ state: 'hidden' })
  })

  test('more than 2,000 that match are selected up to there, and it says so', async () => {
    await drafts(selectedMost + 1, 'Alder')
    await selectAll('Alder')
    // Those that match are still read: one would act on fewer than one has asked for.
    await page.keyboard.press('i')
    await page.getByText('The first 2,000 of those that match are selected').waitFor()
    await page.getByText('2,000 selected').waitFor()
    assert.equal(await dialog().count(), 0)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.keyboard.press('i')
    await dialog().getByText('More match than can be selected at once').waitFor()
    await page.getByRole('heading', { name: 'Issue 2,000 documents' }).waitFor()
    let checks = 0
    page.on('request', (request) => (checks += Number(request.url().endsWith('/issue'))))
    await until('they are being checked', () => checks > 0)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    const before = checks
    await drafts(100, 'Rowan')
    assert(checks - before <= 4, `${checks - before} more were checked, which nobody sees`)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
