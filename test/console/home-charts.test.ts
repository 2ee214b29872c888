/** The charts of Home open the lists that they count (console 1.9). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, showStates, skipsLong } from '../support/console/browser.ts'
import { cents, sumOfBills } from '../support/console/listed-amounts.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { busyOffice } from '../support/console/busy-office.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { inDays } from '../support/dates.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { page, complaints, practice, at, get, post, issueBill, statusOf, endFirstSteps } = started
const { openSession } = started

/** A bill from a partner who has reset its sandbox since; it can have been approved before. */
const frozenBill = async ({ isApproved = false } = {}): Promise<string> => {
  const admin = await openSession(practice.organization.admin)
  const partner = await post(admin, '/v1/sandboxes', {})
  const { id: connection_id } = await post(partner.admin_session_token, '/v1/connections', {
    organization_id: practice.organization.id,
  })
  await post(admin, `/v1/connections/${connection_id}/accept`)
  const { id } = await post(partner.api_key, '/v1/documents', {
    connection_id,
    document_type: 'invoice',
    payment_terms: 'Net 5',
    line_items: [{ description: 'Rafters', quantity: 1, unit_price: 100, tax_rate: 0 }],
  })
  await post(partner.api_key, `/v1/documents/${id}/issue`)
  if (isApproved) await post(admin, `/v1/documents/${id}/transition`, { to: 'approved' })
  await post(partner.api_key, '/v1/sandbox/reset')
  return id
}

describe('the charts of Home', { skip: skipsLong ?? false }, () => {
  const openOverview = async () => {
    await page.goto(at('/'))
    await showStates(page)
    await page
      .getByRole('region', { name: 'Documents by state' })
      .getByRole('link')
      .first()
      .waitFor()
  }
  const rowCount = () => page.locator('tbody tr[data-row]').count()

  test('a bar of the documents opens as many as it counts', async () => {
    await endFirstSteps()
    await issueBill('Oak boards')
    await issueBill('Ash boards')
    await openOverview()
    const bar = page
      .getByRole('region', { name: 'Documents by state' })
      .getByRole('link', { name: /^Submitted/ })
    const counted = Number(/\d+$/.exec((await bar.last().innerText()).trim())![0])
    await bar.last().click()
    await page.waitForURL(/\/documents\?view=received&since=[\d-]+&until=[\d-]+&status=submitted$/)
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    assert(counted >= 2)
    assert.equal(await rowCount(), counted)
    assert.equal(await page.getByLabel('State').inputValue(), 'submitted')
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('what you owe, and each bar of it, opens the bills whose balances add up to it', async () => {
    await openOverview()
    const owed = page.getByRole('region', { name: 'What is owed' })
    for (const [link, address] of [
      [owed.getByRole('link', { name: /^\D?[\d.,]+$/ }).last(), /\?view=payable&currency=USD$/],
      [
        owed.getByRole('link', { name: /^Not due yet/ }).last(),
        /\?view=payable&currency=USD&due_from=[\d-]+$/,
      ],
    ] as const) {
      await openOverview()
      const shown = cents(/[\d.,]+$/.exec((await link.innerText()).trim())![0])
      await link.click()
      await page.waitForURL(address)
      assert.equal(await sumOfBills(page), shown)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await page.getByLabel('Due from').fill('')
    await page.waitForURL(/\?view=payable&currency=USD$/)
  })

  test('what has come in opens the settled payments of that direction', async () => {
    const bill = await issueBill('Beech boards')
    const { api_key } = practice.organization
    await post(api_key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await post(api_key, `/v1/documents/${bill}/pay`)
    await openOverview()
    await page.getByRole('link', { name: /^Out / }).click()
    await page.waitForURL(/\/payments\?.*direction=outgoing/)
    await page.getByRole('link', { name: /^To / }).first().waitFor()
  })

  test('a week of the cash flow opens what settled in it', async () => {
    await openOverview()
    const week = page.getByRole('link', { name: /^Week of / }).last()
    const name = (await week.getAttribute('aria-label'))!
    const [into, out] = [...name.matchAll(/([\d.,]+) (?:in|out)/g)].map(([, amount]) =>
      cents(amount!),
    )
    await week.click()
    await page.waitForURL(/\/payments\?status=settled&currency=USD&settled_from=[\d-]+&settled_to=/)
    await page.getByRole('link', { name: /^To / }).first().waitFor()
    const query = new URL(page.url()).search
    const { data } = await get(practice.organization.api_key, `/v1/payments${query}&limit=100`)
    assert(data.length > 0)
    const sum = data.reduce(
      (total: number, { amount }: { amount: number }) => total + Math.round(amount * 100),
      0,
    )
    assert.equal(sum, into! + out!)
    assert.equal(await rowCount(), data.length)
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('console 1.2: the rows of Home are walked with j and k, and one key acts', async () => {
    const key = practice.organization.api_key
    const [pending, payable] = [await issueBill('Cherry', 31), await issueBill('Plum', 32)]
    await post(key, `/v1/documents/${payable}/transition`, { to: 'approved' })
    await openOverview()
    const focused = () =>
      page.evaluate<string | undefined>('document.activeElement.dataset.document')
    const walkTo = async (id: string, letter: string): Promise<void> => {
      await page.locator(`[data-document="${id}"]`).waitFor()
      await until(`${id} has the focus`, async () => {
        if ((await focused()) === id) return true
        await page.keyboard.press(letter)
        return false
      })
    }
    await walkTo(payable, 'j')
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^Possible while it is submitted/).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('p')
    await dialog.getByRole('button', { name: 'Pay $414.72' }).click()
    await until('it is paid', async () => (await statusOf(payable)) === 'paid')
    await dialog.waitFor({ state: 'hidden' })
    await walkTo(pending, 'k')
    await page.keyboard.press('a')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await until('it is approved', async () => (await statusOf(pending)) === 'approved')
    await dialog.waitFor({ state: 'hidden' })
  })

  test('console 1.2: from the list, a scheduled payment is cancelled, and a failed one made again', async () => {
    const key = practice.organization.api_key
    const [later, failing] = [await issueBill('Larch', 700), await issueBill('Maple', 40)]
    for (const bill of [later, failing])
      await post(key, `/v1/documents/${bill}/transition`, { to: 'approved' })
    await post(key, `/v1/documents/${later}/transition`, {
      to: 'payment_scheduled',
      scheduled_for: inDays(3),
    })
    await post(key, `/v1/documents/${failing}/pay`, {
      source_account_id: 'acct_test_insufficient_funds',
    })
    await post(key, '/v1/sandbox/clock', { advance_by: 'PT5S' })
    const numbered: string[] = []
    page.on('request', (request) =>
      numbered.push(...(/\/v1\/documents\?.*/.exec(request.url()) ?? [])),
    )
    await page.goto(at('/payments'))
    for (const bill of [later, failing]) {
      const { number } = await get(key, `/v1/documents/${bill}`)
      await page.getByRole('row', { name: number }).first().waitFor()
    }
    assert.equal(numbered.length, 1, 'the numbers of a list are read in one call')
    await page.getByRole('columnheader', { name: 'Actions' }).waitFor()
    await page.getByRole('button', { name: 'Cancel: $9,072.00' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: /^Cancel the payment: Bill/ }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel the payment' }).click()
    await until('it is cancelled', async () => (await statusOf(later)) === 'approved')
    await page.getByRole('button', { name: 'Pay again: $518.40' }).click()
    await dialog.getByRole('button', { name: 'Pay $518.40' }).click()
    await until('it is paid', async () => (await statusOf(failing)) === 'paid')
    // The failed payment stays in the list, and its document is paid.
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Pay again: $518.40' }).waitFor({ state: 'hidden' })
    const { number } = await get(key, `/v1/documents/${failing}`)
    assert.equal(await page.getByRole('row', { name: number }).count(), 2)
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      const actions = page.getByRole('columnheader', { name: 'Actions' })
      assert.equal(await actions.count(), 0, 'there is no column for what no row has')
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await picture(page, 'payments-list', allAppearances)
    await showAs(page, { width: 1440, colorScheme: 'light' })
  })

  test('console 1.2: the view Overdue has what the API marks as overdue, by the clock of the sandbox', async () => {
    await busyOffice(started)
    const key = practice.organization.api_key
    const frozen = await frozenBill()
    await post(key, '/v1/sandbox/clock', { advance_by: 'P15D' })
    const { data } = await get(key, '/v1/documents?limit=100')
    const overdue = data.flatMap((one: { overdue: boolean; id: string }) =>
      one.overdue ? [one.id] : [],
    )
    assert(overdue.length > 1 && overdue.length < data.length)
    await page.goto(at('/documents'))
    await page.getByRole('link', { name: 'Overdue' }).click()
    await page.getByRole('table', { name: /^Overdue/ }).waitFor()
    const shown = () =>
      page.evaluate<string>(
        `[...document.querySelectorAll('tbody tr[data-row]')].map((row) => row.dataset.row).join()`,
      )
    // Until they are read, the rows of the other view stay.
    await until('exactly they are listed', async () => (await shown()) === overdue.join())
    await page.goto(at(`/documents/${frozen}`))
    await page.getByText('The other side has reset its sandbox').first().waitFor()
  })

  test('Home has nothing to pay that can no longer be paid, as the list that it opens', async () => {
    const frozen = await frozenBill({ isApproved: true })
    const key = practice.organization.api_key
    const { data } = await get(key, '/v1/documents?owed=payable&phase=accepted')
    const payable: string[] = data.map(({ id }: { id: string }) => id)
    assert(!payable.includes(frozen))
    await page.goto(at('/'))
    const listed = page.getByRole('region', { name: 'To pay' }).getByRole('listitem')
    await page.getByRole('region', { name: 'To approve' }).getByRole('listitem').first().waitFor()
    assert.equal(await listed.count(), Math.min(payable.length, 5))
    const bill = listed.locator(`a[href*="${frozen}"]`)
    assert.equal(await bill.count(), 0)
  })

  test('Home is accessible in every appearance', async () => {
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      await openOverview()
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await picture(page, 'overview-charts')
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
