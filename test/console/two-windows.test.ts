/** Two people of two organizations, each in a browser of its own, with the same documents. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, missingBrowser, watchedPage } from '../support/console/browser.ts'
import { allAppearances, picture } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = missingBrowser === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, page, complaints, practice, at, program, get, post } = started
const { issueBill } = started
const other = missingBrowser === undefined ? await browser.newContext() : undefined!
const theirs = missingBrowser === undefined ? await watchedPage(other, baseUrl) : undefined!
const ada = { email: 'ada@lovelace.example', password: 'analytical engine no. 1' }
/** Where the other person works, once it has been set up: its sandbox. */
const their = { path: '', session: '', connection: '', invoice: '' }

const setupLink = (): string => /\S+\/app\/setup#t=\S+/.exec(program.output())![0]

const sessionOf = async (person: typeof ada, organization_id?: string): Promise<string> => {
  const body = { ...person, ...(organization_id === undefined ? {} : { organization_id }) }
  return (await post(undefined, '/auth/sessions', body)).token
}

const sandboxOf = async (person: typeof ada): Promise<string> => {
  const { organizations } = await get(await sessionOf(person), '/auth/session')
  return organizations.find(({ mode }: { mode: string }) => mode === 'sandbox').id
}

const patch = async (key: string, path: string, body: object): Promise<void> => {
  const { status, text } = await callApi({ baseUrl }, 'PATCH', path, { key, body })
  assert(status < 300, text)
}

/** Both windows show it: the other side's page is not reloaded. */
const isSeen = async (text: RegExp | string): Promise<void> => {
  await page.getByText(text).first().waitFor()
  await theirs.page.getByText(text).first().waitFor()
}

describe('two people, two windows', { skip: missingBrowser ?? false }, () => {
  after(() => other.close())

  test('console 5.1: the link of the first start makes an owner, once', async () => {
    const link = setupLink()
    const fill = async () => {
      await theirs.page.goto(link)
      await theirs.page.getByLabel('Organization').fill('Lovelace Engines')
      await theirs.page.getByLabel('Your name').fill('Ada')
      await theirs.page.getByLabel('E-mail').fill(ada.email)
      await theirs.page.getByLabel('Password').fill(ada.password)
      assert.deepEqual(await accessibilityViolations(theirs.page), [])
      await picture(theirs.page, 'setup', allAppearances)
      await theirs.page.getByRole('button', { name: 'Create' }).click()
    }
    await fill()
    await theirs.page.getByRole('heading', { name: /^Good / }).waitFor()
    // Nothing is done yet but signing in, and there is nothing else to show.
    const steps = theirs.page.getByRole('region', { name: 'First steps' })
    await steps.getByText('1 of 11').waitFor()
    assert.equal(await theirs.page.getByRole('region').count(), 1)
    assert.deepEqual(await accessibilityViolations(theirs.page), [])
    await theirs.page.keyboard.press('c')
    await theirs.page.getByText('Connect a partner first').waitFor()
    const again = await browser.newContext()
    const visit = await watchedPage(again, baseUrl)
    await visit.page.goto(link)
    await visit.page.getByRole('heading', { name: 'This service is set up already' }).waitFor()
    assert.equal(await visit.page.getByRole('textbox').count(), 0)
    assert.deepEqual(await accessibilityViolations(visit.page), [])
    await visit.page.getByRole('link', { name: 'Sign in' }).click()
    await visit.page.getByLabel('Password').waitFor()
    assert.deepEqual(visit.complaints, [])
    await again.close()
  })

  test('an invitation by e-mail connects their sandboxes', async () => {
    const id = await sandboxOf(ada)
    their.session = await sessionOf(ada, id)
    their.path = `${baseUrl}/app/o/${id}`
    const { organization } = practice
    const own = await sessionOf(organization.admin, organization.id)
    const { id: connection } = await post(own, '/v1/connections', { email: ada.email })
    their.connection = connection
    await theirs.page.goto(`${their.path}/connections`)
    await theirs.page.getByRole('button', { name: /^Accept the connection/ }).click()
    await until('they are connected', async () => {
      const { status } = await get(their.session, `/v1/connections/${connection}`)
      return status === 'active'
    })
  })

  test('console 5.5 and 5.6: a draft is its own side’s, an issued invoice is seen by both', async () => {
    await theirs.page.goto(`${their.path}/documents/new`)
    await theirs.page.getByLabel('Connection').selectOption(their.connection)
    await theirs.page.getByLabel('Description of line 1').fill('Brass gears')
    await theirs.page.getByLabel('Quantity of line 1').fill('4')
    await theirs.page.getByLabel('Unit price of line 1').fill('250')
    await theirs.page.getByText('$1,000.00').first().waitFor()
    await theirs.page.getByRole('button', { name: 'Save draft' }).click()
    await theirs.page.getByRole('heading', { name: /^Invoice / }).waitFor()
    const invoice = /doc_\w+/.exec(theirs.page.url())![0]
    their.invoice = invoice

    await page.goto(at(`/documents/${invoice}`))
    await page.getByRole('status').getByText('There is no document').waitFor()
    await page.goto(at('/documents?query=Brass'))
    await page.getByText('No documents match').waitFor()
    const marker = await issueBill('Brass marker')
    const { number } = await get(practice.organization.api_key, `/v1/documents/${marker}`)
    await page.goto(at('/documents'))
    await page.getByRole('link', { name: number }).waitFor()
    const theirRows = page.getByRole('cell', { name: /^Lovelace/ })
    assert.equal(await theirRows.count(), 0)
    // A change of the draft tells this window nothing; the one after it comes alone.
    await patch(their.session, `/v1/documents/${invoice}`, { notes: 'Polished' })
    const next = await issueBill('Brass marker')
    const later = await get(practice.organization.api_key, `/v1/documents/${next}`)
    await page.getByRole('link', { name: later.number }).waitFor()
    assert.equal(await theirRows.count(), 0)

    await theirs.page.getByText('Polished').first().waitFor()
    await theirs.page.keyboard.press('i')
    await theirs.page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
    await theirs.page.getByText('Submitted').first().waitFor()
    // Seen without a reload of this window.
    await page
      .getByRole('cell', { name: /^Lovelace/ })
      .first()
      .waitFor()
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .click()
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
  })

  test('console 5.7: a move that came too late names the moves that are left', async () => {
    await page.keyboard.press('d')
    await page.getByRole('dialog').getByRole('button', { name: 'Dispute' }).waitFor()
    await post(practice.organization.api_key, `/v1/documents/${their.invoice}/transition`, {
      to: 'rejected',
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Dispute' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Keep it as it is' }).click()
    await isSeen('Rejected')
    const approve = page.getByRole('button', { name: 'Approve' })
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
  })

  test('console 5.7: the moves that are left open their dialogs', async () => {
    const bill = await issueBill('Late boards')
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    const send = page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' })
    await send.waitFor()
    await post(practice.organization.api_key, `/v1/documents/${bill}/transition`, {
      to: 'approved',
    })
    await isSeen('Approved')
    await send.click()
    const offered = page.getByRole('dialog').getByRole('alert')
    await offered.getByRole('button', { name: 'Copy the request id' }).waitFor()
    await offered.getByRole('button', { name: 'Dispute' }).click()
    await page.getByRole('heading', { name: /^Dispute: Bill/ }).waitFor()
    assert.equal(await page.getByRole('dialog').getByRole('alert').count(), 0)
    await page.getByRole('button', { name: 'Keep it as it is' }).click()
  })

  test('console 5.5 and 5.8: approved and paid in one window, seen in the other; a double click pays once', async () => {
    const { id } = await post(their.session, '/v1/documents', {
      connection_id: their.connection,
      document_type: 'invoice',
      line_items: [{ description: 'Punched cards', quantity: 300, unit_price: 1, tax_rate: 0 }],
    })
    await post(their.session, `/v1/documents/${id}/issue`)
    await theirs.page.goto(`${their.path}/documents/${id}`)
    await page.goto(at(`/documents/${id}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await page.keyboard.press('a')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await isSeen('Approved')
    await page.getByRole('button', { name: /^Pay/ }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: /^Pay/ }).click({ clickCount: 2 })
    await isSeen('Paid')
    const { data } = await get(practice.organization.api_key, `/v1/payments?document=${id}`)
    assert.equal(data.length, 1)
  })

  test('console 5.9: a payment that fails says why, and the bill can be paid again', async () => {
    const { id } = await post(their.session, '/v1/documents', {
      connection_id: their.connection,
      document_type: 'invoice',
      line_items: [{ description: 'Oil', quantity: 1, unit_price: 80, tax_rate: 0 }],
    })
    await post(their.session, `/v1/documents/${id}/issue`)
    const key = practice.organization.api_key
    await post(key, `/v1/documents/${id}/transition`, { to: 'approved' })
    await page.goto(at(`/documents/${id}`))
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    await post(key, `/v1/documents/${id}/pay`, {
      source_account_id: 'acct_test_insufficient_funds',
    })
    await page.getByText('Payment scheduled').first().waitFor()
    await post(key, '/v1/sandbox/clock', { advance_by: 'PT5S' })
    await page
      .getByText(/insufficient funds/i)
      .first()
      .waitFor()
    await page.getByText('Approved').first().waitFor()
    await page.getByRole('button', { name: /^Pay/ }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: /^Pay/ }).click()
    await page.getByText('Paid').first().waitFor()
  })

  test('console 5.2: signing out ends it in every tab, and a wrong password says nothing more', async () => {
    const visitor = await browser.newContext()
    const first = await watchedPage(visitor, baseUrl)
    await first.page.goto(`${baseUrl}/app/`)
    const fill = async (password: string) => {
      await first.page.getByLabel('E-mail').fill(ada.email)
      await first.page.getByLabel('Password').fill(password)
      await first.page.getByRole('button', { name: 'Sign in' }).click()
    }
    await first.page.getByRole('button', { name: 'Sign in' }).waitFor()
    await picture(first.page, 'sign-in', allAppearances)
    await fill('a wrong password')
    await first.page.getByRole('alert').waitFor()
    await picture(first.page, 'sign-in-refused')
    await fill(ada.password)
    await first.page.getByRole('heading', { name: /^Good / }).waitFor()
    const second = await watchedPage(visitor, baseUrl)
    await second.page.goto(`${baseUrl}/app/`)
    await second.page.getByRole('heading', { name: /^Good / }).waitFor()
    await first.page.getByRole('button', { name: 'Sign out' }).click()
    await first.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual([...first.complaints, ...second.complaints], [])
    await visitor.close()
  })

  test('console 5.15: every page of a sandbox says that it is one, and one of another organization is not shown', async () => {
    for (const path of ['/', '/documents', '/payments', '/keys', '/settings']) {
      await theirs.page.goto(`${their.path}${path}`)
      await theirs.page.getByText('SANDBOX – payments are simulated').waitFor()
      await until('the title says so', async () =>
        (await theirs.page.title()).startsWith('[SANDBOX] '),
      )
    }
    // What is no id of an organization leads nowhere either.
    for (const address of [`${baseUrl}/app/o/acme/documents`, at('/documents')]) {
      await theirs.page.goto(address)
      await theirs.page.getByText('There is nothing at this address').waitFor()
    }
    assert.equal(await theirs.page.getByRole('link', { name: /^BILL-/ }).count(), 0)
  })

  test('no page has complained, and none has asked another host', () => {
    assert.deepEqual([...complaints, ...theirs.complaints], [])
  })
})
