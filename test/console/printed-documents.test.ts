/** The PDF of a document, and the print of its page, say what the API says (console 5.19). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { accessibilityViolations, missingBrowser } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const pdftotext = '/usr/bin/pdftotext'
const missing =
  missingBrowser ??
  (existsSync(pdftotext) ? undefined : 'pdftotext is not installed: apt-get install poppler-utils')

const started = missing === undefined ? await startConsole() : ({} as RunningConsole)
const { context, page, complaints, practice, at, get, issueBill } = started
const bill = missing === undefined ? await issueBill('Oak boards, planed') : ''

const textOf = (pdf: Buffer): string => {
  const path = join(temporaryFolder(), 'document.pdf')
  writeFileSync(path, pdf)
  const text = String(execFileSync(pdftotext, ['-layout', path, '-']))
  return text.replaceAll(/\s+/g, ' ')
}

/** The fields that a reader of the document needs, as both print them. */
const printedFields = async (): Promise<string[]> => {
  const document = await get(practice.organization.api_key, `/v1/documents/${bill}`)
  const [line] = document.line_items
  return [
    document.issuer_number,
    document.issuer.name,
    line.description,
    ...[document.subtotal, document.total, line.net].map((amount: number) => amount.toFixed(2)),
    ...Object.values<string>(document.external_refs).filter((value) => value === 'SO-4711'),
  ]
}

const assertHasAll = (text: string, fields: readonly string[]): void =>
  assert.deepEqual(
    fields.filter((field) => !text.includes(field)),
    [],
    text,
  )

const shortDate = (date: string): string =>
  new Date(date).toLocaleDateString('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

const isBeside = `document.querySelector('iframe').getBoundingClientRect().left >
  document.querySelector('[aria-label="Lines"]').getBoundingClientRect().right`

const noteRevoked = `window.revoked = []
  const revoke = URL.revokeObjectURL
  URL.revokeObjectURL = (url) => window.revoked.push(url) && revoke.call(URL, url)`

describe('printed documents', { skip: missing ?? false }, () => {
  test('console 5.19: the PDF says what the API says, and that it is of a sandbox', async () => {
    await page.goto(at(`/documents/${bill}`))
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download PDF' }).click()
    const text = textOf(readFileSync(await (await downloading).path()))
    assertHasAll(text, await printedFields())
    assert.match(text, /sandbox/i)
  })

  test('issue 18: the PDF stands beside the data, and is let go of when it is hidden', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(at(`/documents/${bill}`))
    await page.getByRole('button', { name: 'Show PDF' }).press('Enter')
    const frame = page.locator('iframe[title^="PDF of"]')
    await frame.waitFor()
    const url = (await frame.getAttribute('src'))!
    assert.match(url, /^blob:/)
    await page.evaluate(noteRevoked)
    assert.equal(await page.evaluate(isBeside), true)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Hide PDF' }).press('Enter')
    await frame.waitFor({ state: 'hidden' })
    assert.deepEqual(await page.evaluate('window.revoked'), [url.split('#')[0]])
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Show PDF' }).click()
    await page.getByRole('region', { name: 'PDF' }).getByText('cannot be reached').waitFor()
    await context.setOffline(false)
    await page.setViewportSize({ width: 390, height: 900 })
    await page.getByRole('button', { name: 'Try again' }).click()
    await frame.waitFor()
    assert.equal(await page.evaluate(isBeside), false)
  })

  test('console 5.19: the print of the page says the same, without the frame and the comments', async () => {
    await page.goto(at(`/documents/${bill}`))
    await page.getByText('History intact').first().waitFor()
    const text = textOf(await page.pdf())
    const fields = await printedFields()
    assertHasAll(text, fields)
    assert.match(text, /SANDBOX/)
    for (const absent of ['Other organizations', 'New comment', 'Sign out', 'Previous'])
      assert(!text.includes(absent), `${absent} is printed`)
  })

  test('console 1.3: a printed list has all its columns and whole rows, and no controls', async () => {
    for (let i = 0; i < 51; i++) await issueBill(`Larch boards ${i}`)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(at('/documents?view=approve&currency=USD'))
    await page.getByRole('button', { name: 'Show more' }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter: USD' }).waitFor()
    const sheet = { format: 'A4', margin: { left: '10mm', right: '10mm' } }
    const text = textOf(await page.pdf(sheet))
    const { document_date, due_date } = await get(
      practice.organization.api_key,
      `/v1/documents/${bill}`,
    )
    const [dated, due] = [document_date, due_date].map(shortDate)
    const rows = text.match(new RegExp(`BILL-\\d+ Bill \\D+ Submitted ${dated} ${due}`, 'g'))
    assert.equal(rows?.length, 50, text)
    assertHasAll(text, ['To approve', 'USD', 'Due', 'Open', 'There are more than are shown here.'])
    for (const absent of ['Overdue', 'More filters', 'Download CSV', 'Show more', 'Party Party'])
      assert(!text.includes(absent), `${absent} is printed`)
    await page.emulateMedia({ colorScheme: 'light', media: 'print' })
    const isTorn = `getComputedStyle(document.querySelector('[data-row]')).breakInside !== 'avoid'`
    assert.equal(
      await page.evaluate(isTorn),
      false,
      'a row begins on one sheet and ends on another',
    )
    await page.emulateMedia({ colorScheme: 'light', media: 'screen' })
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
