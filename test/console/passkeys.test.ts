/** Console 5: a passkey is added in the settings, signs in, steps up, and is removed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import {
  accessibilityViolations,
  addAuthenticator,
  missingBrowser,
} from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { ageSignIns } from '../support/console/session-rows.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, practice, context, page, complaints, at, get, post } = started
const { email, password } =
  missingBrowser === undefined ? practice.organization.admin : ({} as never)

/** No session, and no cookie that renews it. */
const signOut = async (): Promise<void> => {
  await page.evaluate(`localStorage.removeItem('signed-in')`)
  await page.goto(`${baseUrl}/app/sign-in`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

describe('passkeys', { skip: missingBrowser ?? false }, () => {
  test('adding one asks for a name and the device, after a recent sign-in', async () => {
    await addAuthenticator(context, page)
    await page.goto(at('/settings'))
    await page.getByRole('button', { name: 'Add a passkey' }).waitFor()
    await ageSignIns(started)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name of the passkey').fill('My laptop')
    assert.deepEqual(await accessibilityViolations(page), [])
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Confirm that it is you').waitFor()
    await page.getByLabel('Your password').fill(password)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Send it again now.').waitFor()
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('button', { name: 'Remove My laptop' }).waitFor()
    await page.getByText('never').first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('it signs in without a password', async () => {
    await signOut()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
  })

  test('the password alone leads to it', async () => {
    await signOut()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Use your passkey' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
  })

  test('it shows that it is the person, where a recent sign-in is needed', async () => {
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/keys`)
    await page.getByRole('button', { name: 'New key' }).first().click()
    await ageSignIns(started)
    const dialog = page.getByRole('dialog')
    await page.getByLabel('Name').fill('erp')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('Send it again now.').waitFor()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  })

  test('decision 0121: an invitation is accepted with the password and the passkey', async () => {
    const { demo } = practice
    const key = demo.admin_session_token
    const members = await get(key, '/v1/members')
    const member = members.data.find((one: { email: string }) => one.email === email)
    const left = await callApi({ baseUrl }, 'DELETE', `/v1/members/${member.user_id}`, { key })
    assert.equal(left.status, 200, left.text)
    const { token } = await post(key, '/v1/invitations', { email, role: 'viewer' })
    await page.goto(`${baseUrl}/app/invitation#t=${token}`)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Use your passkey' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    assert(new URL(page.url()).pathname.endsWith(demo.id), page.url())
  })

  test('it is removed with itself, and the password signs in again', async () => {
    await page.goto(at('/settings'))
    await page.getByRole('button', { name: 'Remove My laptop' }).click()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(/^None\. With a passkey/).waitFor()
    await signOut()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(/The passkey is unknown here/).waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    assert.deepEqual(complaints, [])
  })
})
