/** Work with many lines and many documents by keyboard and clipboard (console 5.10 and 5.11). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { losingAnswersOf } from '../support/console/lost-answers.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const isLong = process.env['LONG'] === '1'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { context, page, complaints, practice, at, get, post, issueBill, statusOf } = started
const ours = practice?.organization.api_key

/** Lines whose amounts need rounding. */
const lines = Array.from({ length: 200 }, (_, i) => ({
  description: `Part ${i + 1}`,
  quantity: String((i % 7) + 1),
  unitPrice: `${1_000 + i}.${String((i * 7) % 100).padStart(2, '0')}`,
  tax: i % 2 === 0 ? '8' : '8.25',
  sku: `SKU-${i + 1}`,
}))

/** What the region says that the document adds up to, as a number of cents; −1 if nothing yet. */
const shownTotal = async (region: string): Promise<number> => {
  const text = await page.getByRole('region', { name: region }).innerText()
  const [, amount] = /Total\s+\$([\d,]+\.\d\d)/.exec(text) ?? []
  return amount === undefined ? -1 : Math.round(Number(amount.replaceAll(',', '')) * 100)
}

/** Saves the draft: the form and the page show the total that the API answers. */
const saveAndCompare = async (count: number): Promise<void> => {
  assert.equal(await page.getByLabel(`Description of line ${count}`).inputValue(), `Part ${count}`)
  const drafted = { total: -1 }
  const own = lines.slice(0, count)
  const net = own.reduce(
    (sum, { quantity, unitPrice }) => sum + Number(quantity) * Number(unitPrice),
    0,
  )
  // The form shows older totals until the service has answered for the last key.
  await until('the totals are of all lines', async () => {
    drafted.total = await shownTotal('Totals')
    return drafted.total > net * 100
  })
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
  const id = /doc_\w+/.exec(page.url())![0]
  const { total, line_items } = await get(ours, `/v1/documents/${id}`)
  assert.equal(line_items.length, count)
  assert.equal(await shownTotal('Lines'), Math.round(total * 100))
  assert.equal(drafted.total, Math.round(total * 100))
}

/** How often the document has moved. */
const changesOf = async (id: string): Promise<number> => {
  const { data } = await get(ours, `/v1/events?document=${id}&type=document.status_changed`)
  return data.length
}

const openNewDocument = async (): Promise<void> => {
  await page.goto(at('/documents/new'))
  await page.getByLabel('Description of line 1').waitFor()
}

describe('documents by keyboard', { skip: skipsLong ?? false }, () => {
  test('console 5.10: 200 rows of a spreadsheet are pasted, and add up as the API does', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openNewDocument()
    const rows = [
      ['Description', 'Quantity', 'Unit price', 'Tax', 'SKU'],
      ...lines.map(({ description, quantity, unitPrice, tax, sku }) => [
        description,
        quantity,
        `$${Number(unitPrice).toLocaleString('en-US')}`,
        `${tax}%`,
        sku,
      ]),
    ]
    const text = rows.map((row) => row.join('\t')).join('\r\n')
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await page.getByLabel('Description of line 1').focus()
    await page.keyboard.press('Control+v')
    await page.getByLabel('Description of line 200').waitFor()
    assert.equal(await page.getByLabel('Unit price of line 200').inputValue(), '1199.93')
    await saveAndCompare(200)
  })

  const typedCount = isLong ? 200 : 6

  test(`console 5.10: ${typedCount} lines are typed without a mouse`, async () => {
    await openNewDocument()
    await page.getByLabel('Description of line 1').focus()
    for (const [i, line] of lines.slice(0, typedCount).entries()) {
      const { description, quantity, unitPrice, tax, sku } = line
      for (const text of [description, quantity, unitPrice, tax]) {
        await page.keyboard.type(text)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.type(sku)
      if (i < typedCount - 1) await page.keyboard.press('Enter')
    }
    await saveAndCompare(typedCount)
  })

  test('an edit keeps discounts, tax categories and references, and adds a discount', async () => {
    const line = { description: 'Oak', quantity: 3, unit_price: 9.99, tax_rate: 0 }
    const { id } = await post(ours, '/v1/documents', {
      connection_id: practice.connection_id,
      document_type: 'invoice',
      external_refs: { project: 'P-7' },
      line_items: [{ ...line, discount_type: 'percent', discount_value: 12.5, tax_category: 'E' }],
    })
    await page.goto(at(`/documents/${id}/edit`))
    assert.equal(await page.getByLabel('Discount of line 1').inputValue(), '12.5%')
    await page.getByLabel('Discount of line 1').press('Enter')
    await page.keyboard.type('Ash')
    await page.getByLabel('Unit price of line 2').fill('20')
    await page.getByLabel('Discount of line 2').fill('4.50')
    await until('both are taken off', async () => (await shownTotal('Totals')) === 4_172)
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
    const { line_items, external_refs } = await get(ours, `/v1/documents/${id}`)
    const [oak, ash] = line_items
    assert.deepEqual([oak.discount, oak.tax_category, ash.discount], [3.75, 'E', 4.5])
    assert.deepEqual(external_refs, { project: 'P-7' })
  })

  test('console 5.11: the list finds by either number, reference, misspelt name and amount', async () => {
    const bill = await issueBill('Searched boards')
    const { number, issuer_number } = await get(ours, `/v1/documents/${bill}`)
    const other = (await get(ours, `/v1/documents/${await issueBill('Others', 21)}`)).number
    await page.goto(at('/documents'))
    await page.getByRole('link', { name: number }).waitFor()
    await page.getByRole('link', { name: other }).waitFor()
    for (const [query, isOtherFound] of [
      [number, false],
      ['SO-4711', true],
      [issuer_number, false],
      ['so4711', true],
      ['259.07', false],
      ['Demo Counterprty', true],
      ['usd 259,07', false],
    ] as const) {
      await page.keyboard.press('/')
      await page.keyboard.press('Control+a')
      await page.keyboard.type(query)
      await page.waitForURL((url) => new URL(String(url)).searchParams.get('query') === query)
      await page.getByRole('link', { name: number }).waitFor()
      const state = isOtherFound ? 'visible' : 'hidden'
      await page.getByRole('link', { name: other }).waitFor({ state })
      await page.getByRole('heading', { name: 'Documents' }).focus()
    }
  })

  test('console 5.11: the palette goes, finds and opens by keyboard only', async () => {
    await page.goto(at('/'))
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    for (const [typed, heading] of [
      ['treas', 'Treasury'],
      ['webh', 'Webhooks'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type(typed)
      await page.getByText(`Go to ${heading}`).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    const found = await get(ours, `/v1/documents/${await issueBill('Found boards', 88.17)}`)
    await page.keyboard.type('1,142.68')
    await page.getByRole('option', { name: found.number }).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(found.issuer_number)
    await page
      .getByRole('option', { name: /^BILL-/ })
      .first()
      .waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
  })

  const billCount = isLong ? 100 : 4

  test(`${billCount} bills are approved one after the other, with three keys each`, async () => {
    const bills: string[] = []
    for (let i = 0; i < billCount; i++) bills.unshift(await issueBill(`Board ${i}`))
    await page.goto(at(`/documents/${bills[0]}?view=approve`))
    for (const [i, bill] of bills.entries()) {
      const { number } = await get(ours, `/v1/documents/${bill}`)
      await page.getByRole('heading', { name: `Bill ${number}` }).waitFor()
      await page.getByRole('button', { name: 'Next' }).waitFor()
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Approve' }).waitFor()
      await page.keyboard.press('Enter')
      await until('it is approved', async () => (await statusOf(bill)) === 'approved')
      await until('the dialog is closed', async () => (await dialog.count()) === 0)
      if (i < bills.length - 1) await page.keyboard.press('j')
    }
  })

  const bulkCount = isLong ? 500 : 8
  const progress = () => page.evaluate<number>(`document.querySelector('progress')?.value ?? -1`)

  /** The service answers the writes of an organization one by one: what goes on is not stuck. */
  const dialogReads = async (lead: string): Promise<void> => {
    const isRead = async () => (await page.getByRole('dialog').getByText(lead).count()) === 1
    while (!(await isRead())) {
      const before = await progress()
      await until(
        `“${lead}”, or more progress than ${before}`,
        async () => (await isRead()) || (await progress()) !== before,
      )
    }
  }

  test(`${bulkCount} bills are approved with five keys; what is refused says why, and a repeat doubles nothing`, async () => {
    const bills: string[] = []
    for (let i = 0; i < bulkCount; i++) bills.push(await issueBill('Bulk boards'))
    await page.goto(at('/documents?query=Bulk'))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await page.keyboard.press('*')
    await page.getByText(`${bulkCount} selected`).waitFor()
    // Each was possible when the page was read.
    const [refused] = bills
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await dialogReads('All of them can be done.')
    assert.equal(await dialog.getByRole('progressbar').count(), 1)
    assert.deepEqual(await accessibilityViolations(page), [])
    await post(ours, `/v1/documents/${refused}/transition`, { to: 'rejected' })
    await page.keyboard.press('Enter')
    await dialogReads('Done. What was refused is listed with its reason.')
    assert.equal(await dialog.getByText(/^Refused$/).count(), 1)
    assert.equal(await dialog.getByText(/^Done$/).count(), bulkCount - 1)
    await page.keyboard.press('Enter')
    await until('the dialog is closed', async () => (await dialog.count()) === 0)
    const changes = await changesOf(bills[1]!)
    await page.goto(at('/documents?query=Bulk'))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await page.keyboard.press('*')
    await page.getByText(`${bulkCount} selected`).waitFor()
    await page.keyboard.press('a')
    await dialogReads(`0 of ${bulkCount} can be done; the others say why not.`)
    await page.keyboard.press('Escape')
    assert.equal(await changesOf(bills[1]!), changes)
  })

  test('what got no answer is sent again with its keys, and is done once', async () => {
    const bills = [await issueBill('Offline boards'), await issueBill('Offline boards')]
    await page.goto(at('/documents?query=Offline'))
    await page
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await page.keyboard.press('*')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('All of them can be done.').waitFor()
    await page.evaluate(losingAnswersOf('/transition'))
    await page.keyboard.press('Enter')
    await dialog.getByText('2 did not arrive. Sending them again doubles nothing.').waitFor()
    for (const bill of bills) assert.equal(await statusOf(bill), 'approved')
    await page.evaluate('globalThis.losesAnswers = false')
    await dialog.getByRole('button', { name: /^Approve 2/ }).click()
    await dialog.getByText('Done. What was refused is listed with its reason.').waitFor()
    assert.equal(
      await dialog
        .locator('li')
        .getByText(/^Done$/)
        .count(),
      2,
    )
    for (const bill of bills) assert.equal(await changesOf(bill), 2)
    await page.keyboard.press('Enter')
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
