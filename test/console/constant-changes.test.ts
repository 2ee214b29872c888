/** A long list on a slow line, while something changes all the time (console 1.8). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { withSlowLine } from '../support/console/slow-line.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { context, page, complaints, practice, at, post } = started

/** Six of 50: with more than a second for each, they take longer than five seconds. */
const pageCount = 6
const draftCount = 50 * pageCount

const addDraft = async (description: string): Promise<void> => {
  await post(practice.organization.api_key, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type: 'invoice',
    external_refs: { issuer_ref: description },
    line_items: [{ description, quantity: 1, unit_price: 10, tax_rate: 0 }],
  })
}

/** Until it is stopped. */
const changeConstantly = (): (() => Promise<void>) => {
  const state = { isStopped: false }
  const changing = (async () => {
    while (!state.isStopped) {
      await addDraft('Constant')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })()
  return () => {
    state.isStopped = true
    return changing
  }
}

describe('constant changes', { skip: skipsLong ?? false }, () => {
  test('console 1.8: a list that takes longer than five seconds is read to its end', async () => {
    for (let i = 0; i < draftCount; i += 20)
      await Promise.all(Array.from({ length: 20 }, () => addDraft('Larch')))
    // Wide enough for the reference.
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(at('/documents'))
    for (let pages = 1; pages < pageCount; pages++) {
      await page.locator(`[data-row]:nth-child(${50 * pages})`).waitFor()
      await page.getByRole('button', { name: 'Show more' }).click()
    }
    await page.locator(`[data-row]:nth-child(${draftCount})`).waitFor()
    await withSlowLine(context, page, async () => {
      const stop = changeConstantly()
      try {
        await page.getByText('Constant', { exact: true }).first().waitFor()
      } finally {
        await stop()
      }
    })
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
