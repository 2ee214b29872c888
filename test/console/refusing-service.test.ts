/** A service that lacks, refuses or is away, in the console (console 5.16 and 5.18). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong, watchedPage } from '../support/console/browser.ts'
import { showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { expireBrowserTokens } from '../support/console/session-rows.ts'
import { runAdmin } from '../support/processes/program.ts'
import { until } from '../support/until.ts'

const withoutFinance = 'documents,payments,treasury,provenance,keys,webhooks'

const started =
  skipsLong === undefined
    ? await startConsole({ FAMILIES: withoutFinance })
    : ({} as RunningConsole)
const {
  complaints,
  browser,
  baseUrl,
  dataDir,
  context,
  page,
  practice,
  at,
  get,
  post,
  issueBill,
  restart,
} = started
const live = (path: string) => `${baseUrl}/app/o/${practice.live.id}${path}`

/** After so long the console takes an answer for lost. */
const answerMostMs = 60_000

describe('a service that refuses', { skip: skipsLong ?? false }, () => {
  test('console 5.16: a family that is switched off is named as such, and so is its place', async () => {
    await page.goto(at('/finance'))
    await page.getByText('Finance is switched off').waitFor()
    await page.getByRole('link', { name: /^Finance off/ }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 5.16: the treasury of an unverified organization says what verifies it', async () => {
    await page.goto(live('/treasury'))
    await page.getByText('Not available to this organization yet').waitFor()
    await page.getByText(/verifies the organization, by its id/).waitFor()
    assert.equal(await page.getByText('treasury:read').count(), 0, 'scopes are for programs')
    await page.getByRole('button', { name: 'Copy the organization id' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 5.16: live payments without a processor say what is missing', async () => {
    await page.goto(live('/payments'))
    await page.getByText('Live payments are not possible yet').waitFor()
    await page.getByText(/connects you to a payment processor/).waitFor()
    await page.getByLabel('Direction').waitFor({ state: 'hidden' })
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 5.16: a verified live organization without a processor is told what to do, not paid', async () => {
    const {
      id,
      admin_session_token: ours,
      counterparty_admin_session_token: theirs,
    } = practice.live
    const verify = ['organization', 'verify', id]
    const { exitCode, stderr } = await runAdmin(verify, { DATA_DIR: dataDir })
    assert.equal(exitCode, 0, stderr)
    const draft = await post(theirs, '/v1/documents', {
      connection_id: practice.live.connection_id,
      document_type: 'invoice',
      line_items: [{ description: 'Beams', quantity: 1, unit_price: 1234.5, tax_rate: 0 }],
    })
    await post(theirs, `/v1/documents/${draft.id}/issue`)
    await post(ours, `/v1/documents/${draft.id}/transition`, { to: 'approved' })
    await restart({})
    const isMissing = async (): Promise<void> => {
      await page.getByText('Live payments are not possible yet').waitFor()
      await page.getByText(/connects you to a payment processor/).waitFor()
      await page.getByRole('button', { name: 'Copy the organization id' }).waitFor()
      assert.equal(await page.getByText(/verifies the organization/).count(), 0)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await page.goto(live('/payments'))
    await isMissing()
    await page.goto(live(`/documents/${draft.id}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.keyboard.press('p')
    await page.getByText('Payments are not possible yet.').waitFor()
    await isMissing()
    await restart({ FAMILIES: withoutFinance })
  })

  /** It is marked, described by what was said, and has the focus. */
  const isAtField = async (label: RegExp, said: RegExp): Promise<void> => {
    const field = page.getByRole('dialog').getByLabel(label)
    await until(`${label} is marked`, async () => {
      const described = await field.getAttribute('aria-describedby')
      if ((await field.getAttribute('aria-invalid')) !== 'true' || described === null) return false
      return said.test(await page.locator(`[id="${described}"]`).innerText())
    })
    const focused = await page.evaluate<string>('document.activeElement.id')
    assert.equal(focused, await field.getAttribute('id'))
    await page.getByRole('dialog').getByText('Correct the marked field.').waitFor()
  }

  test('console 1.2: payments, members and rules say what is refused at the field', async () => {
    const bill = await issueBill('Pear boards')
    await post(practice.organization.api_key, `/v1/documents/${bill}/transition`, {
      to: 'approved',
    })
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.keyboard.press('p')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^On$/).fill('2020-01-01')
    await dialog.getByRole('button', { name: /^Schedule/ }).click()
    await isAtField(/^On$/, /is past/)
    await page.goto(at('/settings'))
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByLabel(/^E-mail$/).fill('nobody')
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    await isAtField(/^E-mail$/, /is not an e-mail address/)
    await page.goto(at('/approvals/rules'))
    await page.getByRole('button', { name: 'New rule' }).click()
    await dialog.getByLabel(/^Name$/).fill('x'.repeat(101))
    await dialog.getByRole('button', { name: 'Create rule' }).click()
    await isAtField(/^Name$/, /at most 100 characters/)
  })

  test('console 5.18: offline, what was read stays, and writes are refused', async () => {
    const bill = await issueBill('Oak boards')
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.keyboard.press('a')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).waitFor()
    await context.setOffline(true)
    await page.getByRole('dialog').getByText('You are offline.').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Keep it as it is' }).click()
    await page.getByText(/^You are offline\. What is shown/).waitFor()
    await page.getByText('Oak boards').waitFor()
    // What was not loaded yet says so, and the page stays.
    await page.keyboard.press('?')
    await page.getByText('This could not be loaded.').first().waitFor()
    await page.getByText('Oak boards').waitFor()
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.keyboard.press('l')
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    await page.getByText('Oak boards').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.setOffline(false)
    await retry.click()
    await page.getByRole('navigation', { name: /^List: / }).waitFor()
    await page.keyboard.press('l')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor()
    await context.setOffline(true)
    // That nothing was searched does not mean that nothing is there.
    await page.keyboard.type('Oak boards')
    await page.getByRole('dialog').getByText('The service cannot be reached').waitFor()
    assert.equal(await page.getByText(/^Nothing is found/).count(), 0)
    await page.keyboard.press('Escape')
    await context.setOffline(false)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await until(
      'it is online',
      async () => (await page.getByText('You are offline.').count()) === 0,
    )
  })

  test('console 5.8: a payment whose answer is lost is made once, and says so when it is sent again', async () => {
    const bill = await issueBill('Lost boards')
    const key = practice.organization.api_key
    await post(key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    const own = await context.newPage()
    await own.clock.install()
    await own.goto(at(`/documents/${bill}`))
    await own.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await own.keyboard.press('p')
    const dialog = own.getByRole('dialog')
    const pay = dialog.getByRole('button', { name: /^Pay/ })
    await pay.waitFor()
    const devTools = await context.newCDPSession(own)
    await devTools.send('Network.enable')
    const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 }
    // The request leaves at once; its answer would take ten minutes.
    await devTools.send('Network.emulateNetworkConditions', { ...line, latency: 600_000 })
    await pay.click()
    const payments = async () => (await get(key, `/v1/payments?document=${bill}`)).data
    await until('it is paid', async () => (await payments()).length === 1)
    await dialog.getByText('Sending').first().waitFor()
    await own.clock.fastForward(answerMostMs)
    await dialog.getByText('The service cannot be reached').waitFor()
    await devTools.send('Network.emulateNetworkConditions', { ...line, latency: 0 })
    await pay.click()
    await own.getByText('This payment had been made already').first().waitFor()
    assert.equal((await payments()).length, 1)
    await own.close()
  })

  test('console 5.18: a token that has run out is renewed without a word', async () => {
    await page.goto(at('/payments'))
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await expireBrowserTokens(started)
    await page.getByRole('link', { name: 'Connections' }).click()
    await page.getByRole('cell', { name: /^Demo Counterparty/ }).waitFor()
  })

  test('decision 0162: a tab whose token has run out goes on as its own organization', async () => {
    const other = await watchedPage(context, baseUrl)
    const pages = [
      { tab: page, address: at('/payments'), counterparty: /^Demo Counterparty/ },
      { tab: other.page, address: live('/payments'), counterparty: /^Practice Live Counterparty/ },
    ]
    for (const { tab, address } of pages) {
      await tab.goto(address)
      await tab.getByRole('heading', { name: 'Payments' }).waitFor()
    }
    await expireBrowserTokens(started)
    for (const { tab, counterparty } of pages) {
      await tab.getByRole('link', { name: 'Connections' }).click()
      await tab.getByRole('cell', { name: counterparty }).waitFor()
    }
    assert.deepEqual(other.complaints, [])
    await other.page.close()
  })

  test('console 5.18: after a restart of the service, changes are followed again', async () => {
    await page.goto(at('/documents?view=received'))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await restart({ FAMILIES: withoutFinance })
    const bill = await issueBill('Ash boards')
    const { number } = await get(practice.organization.api_key, `/v1/documents/${bill}`)
    await page.getByRole('link', { name: number }).waitFor()
  })

  test('console 5.18: many documents at once wait for a service that is busy', async () => {
    const bills: string[] = []
    for (let i = 0; i < 6; i++) bills.push(await issueBill('Hurried boards'))
    await page.goto(at('/documents?query=Hurried'))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await restart({ RATE_LIMITS: 'sec=1000,min=10000,org_sec=4,org_min=10000' })
    await page.keyboard.press('*')
    await page.getByText('6 selected').waitFor()
    await page.keyboard.press('a')
    await page.getByText('All of them can be done.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Done. What was refused is listed with its reason.').waitFor()
    assert.equal(await page.getByText(/^Refused$/).count(), 0)
  })

  test('console 5.18: too many calls are counted down, and then tried again', async () => {
    await restart({ RATE_LIMITS: 'sec=1000,min=10000,org_sec=4,org_min=10000' })
    await page.goto(at('/'))
    // Unless it takes long, Home shows all of it at once when the last call has its turn.
    await page.getByText('Too many calls at once').first().waitFor({ state: 'attached' })
    await until('everything is shown', async () => {
      const refused = await page.getByText('Too many calls at once').count()
      const shown = await page.getByText('What is owed').count()
      return refused === 0 && shown === 1
    })
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
