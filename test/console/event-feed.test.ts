/** The page of events: what each says can be read without opening it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, post, issueBill, openSession } = started

describe('the events in the console', { skip: skipsLong ?? false }, () => {
  test('a row says what has changed, and from what to what', async () => {
    const bill = await issueBill('Oak boards')
    const key = await openSession(practice.organization.admin)
    await post(key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await post(key, `/v1/documents/${bill}/pay`, {})
    await page.goto(at('/events'))
    const row = (type: RegExp) => page.getByRole('row', { name: type }).first()
    await row(/payment\.settled/).waitFor()
    assert.match(await row(/payment\.settled/).innerText(), /\$259\.07/)
    assert.match(await row(/status_changed/).innerText(), /Approved → Paid/)
    assert.match(await row(/document\.created/).innerText(), /Submitted, \$259\.07/)
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.equal(await overflowOf(page), 0)
    }
    assert.deepEqual(complaints, [])
  })
})
