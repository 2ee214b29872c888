/** A connection between two live organizations, as both see it in their windows (console 1.8). */
import assert from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { type LiveConsole, startLiveConsole } from '../support/console/live-organizations.ts'
import type { RunningConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startLiveConsole() : ({} as LiveConsole)
const { theirs, live, their, console: running = {} as RunningConsole } = started
const { page, complaints, practice } = running
const ourName = 'Practice Live Organization'
const theirName = 'Practice Live Counterparty'

describe('connections in two windows', { skip: skipsLong ?? false }, () => {
  const dialog = () => page.getByRole('dialog')

  /** Such a connection is in both windows: neither is reloaded, and no timer reads that often. */
  const bothHave = async (t: TestContext, state: string): Promise<void> => {
    const start = performance.now()
    for (const [window, name] of [
      [page, theirName],
      [theirs.page, ourName],
    ] as const)
      await window.getByRole('row', { name: new RegExp(`^${name}.*${state}`) }).waitFor()
    t.diagnostic(`${state} in both windows after ${Math.round(performance.now() - start)} ms`)
  }

  const invite = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog().getByLabel('E-mail or organization id').fill(practice.live.counterparty_id)
    await dialog().getByRole('button', { name: 'Send invitation' }).click()
    // What one can tell them besides.
    await dialog().getByRole('button', { name: /^Copy/ }).first().waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
  }

  test('one that is ended is ended for both, and says what goes on', async (t) => {
    await page.goto(live('/connections'))
    await theirs.page.goto(their('/connections'))
    await bothHave(t, 'Active')
    await page.getByRole('button', { name: `End connection with ${theirName}` }).click()
    await dialog()
      .getByText(/Those that exist run on\. This cannot be undone\.$/)
      .waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog().getByRole('button', { name: 'End connection' }).click()
    await bothHave(t, 'Ended')
  })

  test('an invitation is seen by the other side, who declines it', async (t) => {
    await invite()
    const decline = { name: `Decline the connection with ${ourName}` }
    await theirs.page.getByRole('button', decline).click()
    await theirs.page.getByRole('dialog').getByText('The invitation ends.').waitFor()
    assert.deepEqual(await accessibilityViolations(theirs.page), [])
    await theirs.page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await bothHave(t, 'Declined')
  })

  test('what the other side has ended meanwhile cannot be declined any more, and says so', async () => {
    await invite()
    const decline = { name: `Decline the connection with ${ourName}` }
    await theirs.page.getByRole('button', decline).click()
    const asked = theirs.page.getByRole('dialog')
    await asked.getByRole('button', { name: 'Decline' }).waitFor()
    await page.getByRole('button', { name: `Withdraw the invitation of ${theirName}` }).click()
    await dialog().getByText('It can no longer be accepted.').waitFor()
    await dialog().getByRole('button', { name: 'Withdraw' }).click()
    await asked.getByText('It is ended by now.').waitFor()
    assert.equal(
      await asked.getByRole('button', { name: 'Decline' }).getAttribute('aria-disabled'),
      'true',
    )
    await theirs.page.keyboard.press('Escape')
  })

  test('one that is accepted is active for both, and cannot be withdrawn any more', async (t) => {
    await invite()
    await page.getByRole('button', { name: `Withdraw the invitation of ${theirName}` }).click()
    await dialog().getByRole('button', { name: 'Withdraw' }).waitFor()
    const accept = { name: `Accept the connection with ${ourName}` }
    await theirs.page.getByRole('button', accept).click()
    await dialog().getByText('It is active by now.').waitFor()
    const withdraw = dialog().getByRole('button', { name: 'Withdraw' })
    assert.equal(await withdraw.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    await bothHave(t, 'Active')
    assert.deepEqual([...complaints, ...theirs.complaints], [])
  })
})
