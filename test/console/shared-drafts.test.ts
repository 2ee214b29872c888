/** Two windows edit one draft: each sees what the other saves, and nothing is lost. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import {
  type Page,
  accessibilityViolations,
  skipsLong,
  watchedPage,
} from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, page, complaints, practice, at, get, post, signIn } = started
const key = practice?.organization.api_key

const draftOf = async (description: string): Promise<string> =>
  (
    await post(key, '/v1/documents', {
      connection_id: practice.connection_id,
      document_type: 'invoice',
      line_items: [{ description, quantity: 4, unit_price: 250, tax_rate: 0 }],
    })
  ).id

const patch = async (id: string, body: object): Promise<void> => {
  const { status, text } = await callApi({ baseUrl }, 'PATCH', `/v1/documents/${id}`, { key, body })
  assert.equal(status, 200, text)
}

const edit = async (one: Page, id: string): Promise<void> => {
  await one.goto(at(`/documents/${id}/edit`))
  await one.getByLabel('Description of line 1').waitFor()
}

describe('a draft that two windows edit', { skip: skipsLong ?? false }, () => {
  const choice = () => page.getByRole('region', { name: 'Somebody else has changed this draft' })
  const rows = async () => {
    const texts = await choice().getByRole('row').allTextContents()
    return texts.slice(1)
  }
  const notes = (one = page) => one.getByLabel('Notes')
  const quantity = (one = page) => one.getByLabel('Quantity of line 1')
  const save = (one = page) => one.getByRole('button', { name: 'Save draft' })
  const isSaved = (one = page) => one.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
  const shows = (field: ReturnType<typeof notes>, text: string) =>
    until(`the field has “${text}”`, async () => (await field.inputValue()) === text)

  test('what nobody has touched follows the other one, and the cursor stays', async () => {
    const id = await draftOf('Brass gears')
    await edit(page, id)
    await quantity().focus()
    await patch(id, { notes: 'Polished' })
    await shows(notes(), 'Polished')
    const focused = await page.evaluate<string>(`document.activeElement.ariaLabel`)
    assert.equal(focused, 'Quantity of line 1')
    assert.equal(await choice().count(), 0)
    await quantity().fill('5')
    await save().click()
    await isSaved()
    const { notes: kept, line_items: lines } = await get(key, `/v1/documents/${id}`)
    assert.deepEqual([kept, lines[0].quantity], ['Polished', 5])
  })

  test('what each has changed alone is put together, and saved at once', async () => {
    const id = await draftOf('Copper pipes')
    await edit(page, id)
    await notes().fill('By the stairs')
    const line = { description: 'Copper pipes', quantity: 9, unit_price: 250, tax_rate: 0 }
    await patch(id, { line_items: [line] })
    await shows(quantity(), '9')
    assert.equal(await choice().count(), 0)
    assert.equal(await notes().inputValue(), 'By the stairs')
    await save().click()
    await isSaved()
    const saved = await get(key, `/v1/documents/${id}`)
    assert.deepEqual([saved.notes, saved.line_items[0].quantity], ['By the stairs', 9])
  })

  test('what one has entered stands beside what the other has saved, and theirs is one choice', async () => {
    const other = await watchedPage(await browser.newContext(), baseUrl)
    await signIn(other.page, practice.organization.admin)
    const id = await draftOf('Oak boards')
    await edit(page, id)
    await edit(other.page, id)
    await notes().fill('By the stairs')
    await notes(other.page).fill('At the door')
    await quantity(other.page).fill('7')
    await save(other.page).click()
    await isSaved(other.page)
    await choice().waitFor()
    assert.deepEqual(await rows(), ['NotesAt the doorBy the stairs'])
    assert.equal(await notes().inputValue(), 'By the stairs')
    assert.equal(await save().getAttribute('aria-disabled'), 'true')
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.equal(await overflowOf(page), 0)
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await choice().getByRole('button', { name: 'Use theirs' }).click()
    await choice().waitFor({ state: 'hidden' })
    await shows(notes(), 'At the door')
    await shows(quantity(), '7')
    // Nothing is entered any more, so that the page is left without a question.
    await page.getByRole('link', { name: 'Payments' }).click()
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    assert.deepEqual(other.complaints, [])
  })

  test('a save that came too late is led to the choice, and keeps mine over the newest version', async () => {
    const silent = await browser.newContext()
    // Another tab has the stream, and does not pass it on.
    const lock = `'stream ${practice.organization.id}'`
    await silent.addInitScript(`navigator.locks.request(${lock}, () => new Promise(() => {}))`)
    const deaf = await watchedPage(silent, baseUrl)
    await signIn(deaf.page, practice.organization.admin)
    const id = await draftOf('Elm boards')
    await edit(deaf.page, id)
    await notes(deaf.page).fill('By the window')
    await patch(id, { notes: 'By the wall', payment_terms: 'Net 45' })
    await patch(id, { notes: 'By the gate' })
    const answer = deaf.page.waitForResponse((one) => one.status() === 412)
    await save(deaf.page).click()
    await answer
    const theirs = deaf.page.getByRole('region', { name: /^Somebody else has changed/ })
    await theirs.getByRole('cell', { name: 'By the gate' }).waitFor()
    await until('the focus is there', () =>
      deaf.page.evaluate<boolean>(`document.activeElement.innerText.includes('Use theirs')`),
    )
    assert.equal(await deaf.page.getByRole('alert').count(), 0)
    assert.deepEqual(await accessibilityViolations(deaf.page), [])
    await theirs.getByRole('button', { name: 'Keep mine' }).click()
    await isSaved(deaf.page)
    const saved = await get(key, `/v1/documents/${id}`)
    const { notes: kept, payment_terms: terms, revision } = saved
    assert.deepEqual([kept, terms, revision], ['By the window', 'Net 45', 4])
    assert.deepEqual(deaf.complaints, [])
    await silent.close()
  })

  test('what was issued meanwhile is no longer saved, and the entries stay readable', async () => {
    const id = await draftOf('Ash boards')
    await edit(page, id)
    await notes().fill('By the lamp')
    await post(key, `/v1/documents/${id}/issue`)
    await page.getByRole('region', { name: 'This is no longer a draft' }).waitFor()
    assert.equal(await notes().inputValue(), 'By the lamp')
    assert.equal(await save().getAttribute('aria-disabled'), 'true')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('link', { name: 'Show the document' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await isSaved()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
