/** Console 2.3: the pages of links, from the sign-in page through a mail into the console. */
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
import { callApi } from '../support/api-client.ts'
import { linksClient } from '../support/identity/link-requests.ts'
import { turnOnFactor } from '../support/identity/second-factor.ts'
import { type NoticeService, startNoticeService } from '../support/notices/notice-service.ts'

const isSkipped = missingBrowser !== undefined
const service = isSkipped
  ? ({} as NoticeService)
  : await startNoticeService({ CONSOLE_DIR: buildConsole() })
const browser = isSkipped ? undefined! : await launchBrowser()
const { running } = service
const { mailsTo } = linksClient(service)

/** A browser that nobody has used yet. */
const visit = async (path: string) => {
  const context = await browser.newContext()
  const { page, complaints } = await watchedPage(context, running.baseUrl)
  await page.goto(`${running.baseUrl}/app${path}`)
  return { context, page, complaints }
}

/** The mail names the address of the deployment; the tests reach it by another name. */
const pathIn = (text: string): string => /\/app(\/(?:link|invitation)#t=[\w-]+)/.exec(text)![1]!

const askInBrowser = async (email: string) => {
  const { context, page, complaints } = await visit('/sign-in')
  await page.getByRole('link', { name: 'Send me a link' }).click()
  await page.getByRole('heading', { name: 'Sign in by a link' }).waitFor()
  assert.deepEqual(await accessibilityViolations(page), [])
  await page.getByLabel('E-mail').fill(email)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
  assert.deepEqual(await accessibilityViolations(page), [])
  const [mail] = await mailsTo(email)
  return { context, page, complaints, mail: mail! }
}

describe('links in the console', { skip: missingBrowser ?? false }, () => {
  test('“Send me a link” leads through the mail into the console, and only its button signs in', async () => {
    const { email } = await anOrganization(running)
    const { context, page, complaints, mail } = await askInBrowser(email)
    const other = await visit(pathIn(mail.text))
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByText(/another browser has asked for it/).waitFor()
    await other.context.close()
    await page.goto(`${running.baseUrl}/app${pathIn(mail.text)}`)
    await page.getByRole('heading', { name: 'Sign in by your link' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    assert.deepEqual(complaints, [])
    await context.close()
  })

  test('contract 12: with a mail server, whoever invites learns that the link was sent', async () => {
    const { email } = await anOrganization(running)
    const { context, page, mail } = await askInBrowser(email)
    await page.goto(`${running.baseUrl}/app${pathIn(mail.text)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await page.goto(`${page.url().replace(/\/$/, '')}/settings`)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill('ada@example.com')
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    await dialog.getByText('It was also sent to ada@example.com by e-mail.').waitFor()
    const shown = pathIn(await dialog.getByText(/\/app\/invitation#t=/).innerText())
    assert.equal(pathIn((await mailsTo('ada@example.com'))[0]!.text), shown)
    await context.close()
  })

  test('a link asks for the second factor', async () => {
    const { email, session: key, userId } = await anOrganization(running)
    const { recoveryCodes } = await turnOnFactor(running, { key, userId })
    const { context, page, mail } = await askInBrowser(email)
    await page.goto(`${running.baseUrl}/app${pathIn(mail.text)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/^The link was right\./).waitFor()
    await page.getByLabel('Code').fill(recoveryCodes[0]!)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await context.close()
  })

  test('a link that was used says so', async () => {
    const { email } = await anOrganization(running)
    const { token, cookie } = await linksClient(service).linkFor(email)
    await linksClient(service).redeem(token, cookie)
    const { page, context } = await visit(`/link#t=${token}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/The link is unknown, used or expired/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.close()
  })

  test('contract 12: an invitation in a mail makes a new person a member', async () => {
    const { session: key, name } = await anOrganization(running)
    const email = 'grace@example.com'
    const body = { email, role: 'finance' }
    assert.equal((await callApi(running, 'POST', '/v1/invitations', { key, body })).status, 201)
    const [mail] = await mailsTo(email)
    const { page, complaints, context } = await visit(pathIn(mail!.text))
    await page.getByRole('heading', { name: 'Accept the invitation' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByLabel('Your name').fill('Grace')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('Must have at least 12 characters: send a longer one.').waitFor()
    await page.getByLabel('Password').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    assert(await page.getByText(name).first().innerText())
    assert.deepEqual(complaints, [])
    await page.goto(`${running.baseUrl}/app${pathIn(mail!.text)}`)
    await page.getByLabel('Password').fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText(/The invitation is unknown, used, revoked or expired/).waitFor()
    await context.close()
  })
})
