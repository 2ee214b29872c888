/** Console 2.3: signing in to the console through an identity provider. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  accessibilityViolations,
  buildConsole,
  launchBrowser,
  missingBrowser,
  watchedPage,
} from '../support/console/browser.ts'
import { anOrganization } from '../support/fixtures.ts'
import {
  type StandInProvider,
  startIdentityProvider,
} from '../support/identity/identity-provider.ts'
import { turnOnFactor } from '../support/identity/second-factor.ts'
import { type TestService, startTestService } from '../support/test-service.ts'

const isSkipped = missingBrowser !== undefined
const provider = isSkipped ? ({} as StandInProvider) : await startIdentityProvider()
const running = isSkipped
  ? ({} as TestService)
  : await startTestService({ ...provider.settings, CONSOLE_DIR: buildConsole() })
const browser = isSkipped ? undefined! : await launchBrowser()
// The provider sends the browser back to BASE_URL, and cookies belong to its name.
const baseUrl = running.baseUrl?.replace('127.0.0.1', 'localhost')

/** A browser that nobody has used yet; it also goes to the provider. */
const visit = async (path: string) => {
  const context = await browser.newContext()
  const { page, complaints } = await watchedPage(context, baseUrl)
  await page.goto(`${baseUrl}/app${path}`)
  const ownComplaints = () => complaints.filter((one) => !one.includes(provider.issuer))
  return { context, page, ownComplaints }
}

const aMember = async () => {
  const member = await anOrganization(running)
  provider.person = { sub: member.userId, email: member.email, email_verified: true }
  return member
}

describe('identity providers in the console', { skip: missingBrowser ?? false }, () => {
  test('the button leads through the provider into the page that was asked for', async () => {
    const { id, name } = await aMember()
    const { page, context, ownComplaints } = await visit(`/o/${id}/connections`)
    await page.getByRole('link', { name: 'Sign in with Stand-in' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('link', { name: 'Sign in with Stand-in' }).click()
    await page.getByRole('heading', { name: 'Connections' }).waitFor()
    assert(page.url().startsWith(`${baseUrl}/app/o/${id}/connections`), page.url())
    assert(await page.getByText(name).first().innerText())
    await page.goto(`${baseUrl}/app/`)
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    assert.deepEqual(ownComplaints(), [])
    await context.close()
  })

  test('the second factor is asked for', async () => {
    const { session: key, userId } = await aMember()
    const { recoveryCodes } = await turnOnFactor(running, { key, userId })
    const { page, context } = await visit('/sign-in')
    await page.getByRole('link', { name: 'Sign in with Stand-in' }).click()
    await page.getByText(/^The provider has signed you in\./).waitFor()
    await page.getByLabel('Code').fill(recoveryCodes[0]!)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await context.close()
  })

  test('in the settings, an identity is connected and disconnected', async () => {
    const { id } = await aMember()
    const { page, context, ownComplaints } = await visit('/sign-in')
    await page.getByRole('link', { name: 'Sign in with Stand-in' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await page.goto(`${baseUrl}/app/o/${id}/settings`)
    const sent: string[] = []
    page.on('request', (request) => void sent.push(`${request.method()} ${request.url()}`))
    await page.getByRole('button', { name: 'Disconnect Stand-in' }).click({ clickCount: 2 })
    await page.getByRole('button', { name: 'Connect Stand-in', exact: true }).waitFor()
    assert.equal(sent.filter((one) => one.startsWith('DELETE')).length, 1)
    assert.deepEqual(await accessibilityViolations(page), [])
    provider.person = { sub: `private-${id}`, email: 'private@example.com' }
    await page.getByRole('button', { name: 'Connect Stand-in', exact: true }).click()
    await page.getByText('You sign in with Stand-in as private@example.com.').waitFor()
    assert.deepEqual(ownComplaints(), [])
    await context.close()
  })

  test('who is no member here reads so, and gets back to the sign-in', async () => {
    provider.person = { sub: 'stranger', email: 'stranger@example.com', email_verified: true }
    const { page, context, ownComplaints } = await visit('/sign-in')
    await page.getByRole('link', { name: 'Sign in with Stand-in' }).click()
    await page.getByRole('heading', { name: 'You are no member here' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('link', { name: 'To the sign-in' }).click()
    await page.getByLabel('Password').waitFor()
    assert.deepEqual(ownComplaints(), [])
    await context.close()
  })
})
