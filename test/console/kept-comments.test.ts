/** What is written or attached beside a document, or said of it, outlives the session. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { callApi } from '../support/api-client.ts'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, at, get, issueBill, openSession } = started

/** As an administrator or another device does. */
const endSessionsOfBrowser = async (): Promise<void> => {
  const key = await openSession(practice.organization.admin)
  const { body } = await callApi({ baseUrl }, 'GET', '/auth/sessions?limit=100', { key })
  for (const { id, client } of body.data)
    if (client === 'browser') await callApi({ baseUrl }, 'DELETE', `/auth/sessions/${id}`, { key })
}

const signInAgain = async (): Promise<void> => {
  const { email, password } = practice.organization.admin
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const text = 'The second pallet is missing.'
const comment = () => page.getByLabel('New comment')
const kept = () => page.evaluate<string>(`Object.values(localStorage).join()`)

describe('beside a document', { skip: skipsLong ?? false }, () => {
  test('it is back after a session that ended, once its person has signed in again', async () => {
    const bill = await issueBill('Oak boards')
    await page.goto(at(`/documents/${bill}`))
    await comment().fill(text)
    await endSessionsOfBrowser()
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await signInAgain()
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    assert.equal(await comment().inputValue(), text)
  })

  test('another document that is opened from there has none of it', async () => {
    const older = await page.getByRole('heading', { name: /^Bill BILL-/ }).innerText()
    const bill = await issueBill('Beech boards')
    const newer = `Bill ${(await get(practice.organization.api_key, `/v1/documents/${bill}`)).number}`
    const isOpen = (title: string) => page.getByRole('heading', { name: title }).waitFor()
    await page.goto(at('/documents'))
    // Both have been read before, so that the page stays from one to the other.
    for (const title of [newer, older]) {
      await page.getByRole('link', { name: title.replace('Bill ', '') }).click()
      await isOpen(title)
      await comment().waitFor()
      if (title === newer) await page.evaluate(`history.back()`)
    }
    assert.equal(await comment().inputValue(), text)
    await page.getByRole('button', { name: 'Previous' }).click()
    await isOpen(newer)
    assert.equal(await comment().inputValue(), '')
    await page.getByRole('button', { name: 'Next' }).click()
    await isOpen(older)
    assert.equal(await comment().inputValue(), text)
  })

  test('a dialog closes where another document is opened, which the text in it is not about', async () => {
    const heading = () => page.evaluate<string>(`document.querySelector('main h1').innerText`)
    const title = await heading()
    await page.getByRole('button', { name: /^Dispute/ }).click()
    await page.getByRole('dialog').getByLabel('Note').fill('Two boards are split.')
    await page.evaluate(`history.back()`)
    await until('another document is opened', async () => (await heading()) !== title)
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.evaluate(`history.forward()`)
    await until('the first one is opened', async () => (await heading()) === title)
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('so is a reason in a dialog, until somebody closes it', async () => {
    const note = 'Two boards are split.'
    const dispute = () => page.getByRole('button', { name: /^Dispute/ }).click()
    const noteField = () => page.getByRole('dialog').getByLabel('Note')
    await dispute()
    await noteField().fill(note)
    await endSessionsOfBrowser()
    await page.getByRole('dialog').getByRole('button', { name: 'Dispute', exact: true }).click()
    await signInAgain()
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await dispute()
    assert.equal(await noteField().inputValue(), note)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await dispute()
    assert.equal(await noteField().inputValue(), '')
    await page.keyboard.press('Escape')
  })

  test('what was sent is not kept, and whoever signs out leaves nothing', async () => {
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page
      .getByRole('list', { name: /^Comments/ })
      .getByText(text)
      .waitFor()
    await until('it is forgotten', async () => !(await kept()).includes(text))
    await comment().fill('Another thought')
    await until('it is kept', async () => (await kept()).includes('Another thought'))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    await until('nothing is left', async () => !(await kept()).includes('Another thought'))
  })

  test('a file is told of once it is attached, and one that was refused can be chosen again', async () => {
    const field = page.locator('input[type="file"]')
    const choose = (name: string, buffer: Buffer) =>
      field.setInputFiles({ name, mimeType: 'text/plain', buffer })
    const bill = await issueBill('Elm boards')
    await page.goto(at(`/documents/${bill}`))
    await signInAgain()
    await page.getByRole('button', { name: 'Attach', exact: true }).waitFor()
    await choose('too-large.txt', Buffer.alloc(limits.attachmentMaxBytes + 1))
    await page.getByRole('region', { name: 'Attachments' }).getByRole('alert').waitFor()
    // A browser says nothing when the same file is chosen again.
    assert.equal(await field.inputValue(), '')
    await choose('delivery.txt', Buffer.from('a delivery note'))
    await page.getByRole('status').getByText('delivery.txt is attached').waitFor()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
