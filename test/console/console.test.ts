/** The console in a browser (console 5): sign in, see, act by keyboard, and be accessible. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import {
  accessibilityViolations,
  dialogHasFocusAtOnce,
  missingBrowser,
  openPayment,
  watchedPage,
} from '../support/console/browser.ts'
import { picture } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, practice, browser, context, page, complaints } = started
const { at, post, signIn, issueBill, statusOf, addMember, approvePending } = started
const invoice = missingBrowser === undefined ? await issueBill('Oak boards') : ''
const approver = { email: 'grace@example.com', password: 'a long enough passphrase' }

/** As if the organization had connected with ten pages of others since its first connection. */
const manyConnections = `{
  const askedOf = globalThis.fetch
  const refusal = { error: { code: 'rate_limited', message: 'Too many calls.' } }
  let askedForLast = 0
  globalThis.fetch = (url, init) => {
    const { pathname, searchParams } = new URL(url, location)
    if (pathname !== '/v1/connections' || searchParams.get('status') !== 'active')
      return askedOf(url, init)
    const page = Number(searchParams.get('cursor') ?? 1)
    // The first search is refused.
    if (page === 10 && ++askedForLast === 2)
      return Promise.resolve(Response.json(refusal, { status: 429 }))
    if (page > 10) return askedOf('/v1/connections?status=active', init)
    const other = { id: 'con_' + page, status: 'active', counterparty: { name: 'Mill ' + page } }
    return Promise.resolve(Response.json({ data: [other], next_cursor: String(page + 1) }))
  }
}`

describe('the console', { skip: missingBrowser ?? false }, () => {
  test('a reload keeps the session through its cookie, and no token is stored', async () => {
    await page.goto(at('/documents'))
    await page.getByRole('heading', { name: 'Documents' }).waitFor()
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
    assert.doesNotMatch(stored, /r[ks]_test_/)
    assert.equal(await page.evaluate('document.cookie'), '')
  })

  test('a first visit asks for no session that cannot exist', async () => {
    const context = await browser.newContext()
    const visit = await watchedPage(context, baseUrl)
    const asked: string[] = []
    visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await visit.page.goto(`${baseUrl}/app/`)
    await visit.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const others = asked.filter((path) => !path.startsWith('/app/') && path !== '/auth/methods')
    assert.deepEqual(others, [])
    await context.close()
  })

  test('another organization of the person is one click away, with its own address', async () => {
    await page.goto(at('/'))
    await page.getByText('Other organizations').click()
    await page.getByRole('link', { name: /Live$/ }).first().click()
    await page.waitForURL((url) => !String(url).includes(practice.organization.id))
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await until('it is live', async () => !(await page.title()).includes('SANDBOX'))
    await page.goto(at('/'))
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await until('it is the sandbox', async () => (await page.title()).startsWith('[SANDBOX] '))
  })

  test('a bill is approved and paid with the keyboard, and the other side sees it paid', async () => {
    await page.goto(at(`/documents/${invoice}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.keyboard.press('a')
    await page.getByRole('dialog').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await until('it is approved', async () => (await statusOf(invoice)) === 'approved')
    await page.getByRole('button', { name: /^Pay/ }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: /^Pay/ }).click()
    await until('it is paid', async () => (await statusOf(invoice)) === 'paid')
    await page.getByText('Paid').first().waitFor()
  })

  test('a key that is pressed as soon as a dialog is there goes into it', async () => {
    await page.goto(at(`/documents/${await issueBill('Larch boards')}`))
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    for (const keys of ['a', 'Control+k']) {
      const hasFocus = await dialogHasFocusAtOnce(page, () => page.keyboard.press(keys))
      assert(hasFocus, `${keys} opens a dialog that gets the focus later`)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
  })

  test('a new page is announced, and the focus returns to what has opened a dialog', async () => {
    const focused = () =>
      page.evaluate<string>(
        '`${document.activeElement.tagName} ${document.activeElement.innerText}`',
      )
    await page.getByRole('link', { name: 'Connections' }).click()
    await until('the heading is read', async () => (await focused()) === 'H1 Connections')
    await page.getByRole('button', { name: 'Invite' }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await until('the focus is back', async () => (await focused()) === 'BUTTON Invite')
  })

  test('what the other side does is seen without a reload', async () => {
    const bill = await issueBill('Ash boards')
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    assert.equal(await page.getByText('Cancelled').count(), 0)
    await post(practice.demo.api_key, `/v1/documents/${bill}/transition`, { to: 'cancelled' })
    // Without the stream, the page would read again only after this wait has given up.
    await page.getByText('Cancelled').first().waitFor()
  })

  test('a draft is written, added up by the service, and saved', async () => {
    await page.goto(at('/documents/new'))
    await page.getByLabel('Description of line 1').fill('Walnut shelf')
    await page.getByLabel('Quantity of line 1').fill('10')
    await page.getByLabel('Unit price of line 1').fill('120')
    await page.getByLabel('Tax % of line 1').fill('8')
    await page.getByText('$1,296.00').first().waitFor()
    await page.getByRole('link', { name: 'Payments' }).click()
    await page.getByRole('button', { name: 'Go on editing' }).click()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
  })

  test('whoever is not among the connections that are listed is found by name', async () => {
    const office = await browser.newContext()
    await office.addInitScript(manyConnections)
    const { page, complaints } = await watchedPage(office, baseUrl)
    await signIn(page, practice.organization.admin)
    await page.goto(at('/documents/new'))
    const search = page.getByRole('searchbox', { name: 'Find a connection' })
    const chosen = () =>
      page.evaluate<string>(`[...document.querySelectorAll('label')].find(
        (label) => label.innerText === 'Connection').control.selectedOptions[0].text`)
    await page.getByText('There are more than the newest 1,000').waitFor()
    assert.equal(await chosen(), 'Choose one…')
    await search.fill('dèmo')
    await page.getByRole('status').getByText('Too many calls.').waitFor()
    await page.getByRole('status').getByText('1 found.').waitFor()
    assert.equal(await chosen(), 'Choose one…')
    for (const key of ['Enter', 'Tab', 'ArrowDown']) await page.keyboard.press(key)
    await search.fill('')
    const isDemo = async () => (await chosen()).startsWith('Demo')
    await until('they stay chosen', isDemo)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByLabel('Description of line 1').fill('Ash shelf')
    await page.getByLabel('Unit price of line 1').fill('90')
    await page.goto(at('/documents/new'))
    await page.getByText(/are back\. They are only in this browser/).waitFor()
    await until('they are still chosen', isDemo)
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
    assert.deepEqual(complaints, [])
    await office.close()
  })

  test('the palette finds a bill by the reference of the other side', async () => {
    await page.goto(at('/'))
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('so 4711')
    await page
      .getByText(/^BILL-\d+ · /)
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('259.07')
    const payment = page.getByRole('group', { name: 'Payments' }).getByRole('option').first()
    assert.match(await payment.innerText(), /^\$259\.07/)
    await page.keyboard.press('Escape')
  })

  test('a rule is created and tried, and is not tried offline', async () => {
    await page.goto(at('/approvals/rules'))
    await page.getByText('No approval rules yet').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'rules-empty')
    await page.getByRole('button', { name: 'Create the first rule' }).click()
    await page.getByLabel('Name').fill('Large payments')
    await page.getByLabel('More than').fill('100')
    await page.getByLabel('Currency').selectOption('USD')
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'rule-dialog')
    await page.getByRole('button', { name: 'Create rule' }).click()
    await page.getByRole('button', { name: 'Test this rule: Large payments' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Test this rule' }).waitFor()
    await context.setOffline(true)
    await dialog.getByText('You are offline.').waitFor({ state: 'attached' })
    await context.setOffline(false)
    await dialog.getByRole('button', { name: 'Test this rule' }).click()
    await page.getByText('It would wait for approval').first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'rule-test')
    await page.getByLabel('Amount').fill('100')
    await dialog.getByRole('button', { name: 'Test this rule' }).click()
    await page.getByText('It would run at once').first().waitFor()
  })

  test('a payment waits for another person, and then runs once', async () => {
    const bill = await issueBill('Beech boards')
    await addMember(approver, 'approver')
    await post(practice.organization.api_key, `/v1/documents/${bill}/transition`, {
      to: 'approved',
    })
    const pay = async () => {
      await page.goto(at(`/documents/${bill}`))
      await (await openPayment(page)).click()
    }
    await pay()
    await page.getByText('It waits for another person').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await picture(page, 'waits-for-approval')
    await page.getByRole('link', { name: 'Open the approval' }).click()
    await page.getByText('You have asked for it, so another person decides.').first().waitFor()
    await picture(page, 'approval')
    assert.equal(await statusOf(bill), 'approved')
    await approvePending(approver)
    // A new form sends the request that was approved.
    await pay()
    await until('it is paid', async () => (await statusOf(bill)) === 'paid')
  })

  test('who may not keep the rules reads why', async () => {
    const visitor = await browser.newContext()
    const visit = await watchedPage(visitor, baseUrl)
    await visit.page.setViewportSize({ width: 1440, height: 900 })
    await signIn(visit.page, approver)
    await visit.page.goto(at('/approvals/rules'))
    await visit.page.getByText('Owners and admins manage the rules').first().waitFor()
    assert.equal(await visit.page.getByRole('button', { name: /^Test/ }).count(), 0)
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    await picture(visit.page, 'rules-refused', [{ width: 1440, colorScheme: 'light' }])
    assert.deepEqual(visit.complaints, [])
    await visitor.close()
  })

  test('the lists are downloaded with the filters of the address', async () => {
    const download = async (path: string) => {
      await page.goto(at(path))
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ])
      const lines = readFileSync(await file.path(), 'utf8')
        .trim()
        .split(/\r?\n/)
      return { name: file.suggestedFilename(), lines }
    }
    const bills = await download('/documents?view=received&query=Beech')
    assert.equal(bills.name, 'documents.csv')
    assert.equal(bills.lines.length, 2, bills.lines.join('\n'))
    const paid = await download('/payments?direction=incoming')
    assert.equal(paid.name, 'payments.csv')
    assert.equal(paid.lines.length, 1, paid.lines.join('\n'))
  })

  test('console 1.6: the Workbench shows what a page has asked, and makes a call itself', async () => {
    await page.goto(at('/connections'))
    await page.getByRole('heading', { name: 'Connections' }).waitFor()
    await page.keyboard.press('`')
    const pane = page.getByRole('complementary', { name: 'Workbench' })
    await pane.getByText('GET /v1/connections').first().waitFor()
    await pane.getByRole('tab', { name: 'Shell' }).click()
    await pane.getByRole('button', { name: 'Send' }).click()
    await pane.getByRole('region', { name: 'What was answered' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.keyboard.press('`')
    await pane.waitFor({ state: 'hidden' })
  })

  test('no page has complained, and none has asked another host', () => {
    assert.deepEqual(complaints, [])
  })
})
