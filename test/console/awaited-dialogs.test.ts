/** Keys that are pressed before a dialog was ever loaded (console 1.3), on a slow network. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { missingBrowser, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, context, at, issueBill, statusOf } = started

describe('a dialog that is loaded', { skip: missingBrowser ?? false }, () => {
  test('console 1.3: keys that are pressed while a dialog is loaded are for it', async () => {
    const bill = await issueBill('Alder boards')
    const { page: slow } = await watchedPage(context, baseUrl)
    await slow.goto(at(`/documents/${bill}`))
    await slow.getByRole('button', { name: 'Approve' }).waitFor()
    const devTools = await context.newCDPSession(slow)
    const network = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }
    const setLatency = (latency: number) =>
      devTools.send('Network.emulateNetworkConditions', { ...network, latency })
    await devTools.send('Network.enable')
    await setLatency(4_000)
    const dialog = slow.getByRole('dialog')
    await slow.keyboard.press('Control+k')
    // Go home, create, dispute, approve: none of them is meant.
    await slow.keyboard.type('g home c da')
    assert.equal(await dialog.count(), 0)
    await slow.keyboard.press('Backspace')
    const input = dialog.getByRole('combobox')
    await input.waitFor()
    assert.equal(await input.inputValue(), 'g home c d')
    await slow.keyboard.type('!')
    assert.equal(await input.inputValue(), 'g home c d!')
    await slow.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    // One that is left before it is there does not come.
    await slow.keyboard.press('a')
    await slow.keyboard.press('Escape')
    await slow.keyboard.press('a')
    for (const key of ['c', 'g', 'h', 'Enter']) await slow.keyboard.press(key)
    await dialog.getByRole('button', { name: 'Approve' }).waitFor()
    await setLatency(0)
    assert.equal(slow.url(), at(`/documents/${bill}`))
    assert.equal(await statusOf(bill), 'submitted')
    await slow.close()
  })
})
