/** What was entered and not saved stays in the browser, and nowhere else (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, at, get, signIn } = started
const ours = practice?.organization.api_key

describe('drafts that were not saved', { skip: skipsLong ?? false }, () => {
  const description = () => page.getByLabel('Description of line 1')
  const isBack = () => page.getByText(/are back\. They are only in this browser/).waitFor()
  const noticeCount = () => page.getByText(/are back\. They are only in this browser/).count()
  const kept = () =>
    page.evaluate<string>(
      `Object.entries(localStorage).filter(([key]) => key.startsWith('kept-draft ')).join()`,
    )
  const isKept = (text: string) =>
    until(`“${text}” is kept`, async () => (await kept()).includes(text))

  test('a new draft is back after the page was left, and the service has none of it', async () => {
    const before = (await get(ours, '/v1/documents?phase=draft')).data.length
    await page.goto(at('/documents/new'))
    await description().fill('Walnut shelf')
    await page.getByLabel('Notes').fill('By the stairs')
    await page.getByRole('link', { name: 'Payments' }).click()
    await page.getByText(/This browser keeps what you have entered/).waitFor()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    await page.goto(at('/documents/new'))
    await isBack()
    assert.equal(await description().inputValue(), 'Walnut shelf')
    assert.equal(await page.getByLabel('Notes').inputValue(), 'By the stairs')
    assert.equal((await get(ours, '/v1/documents?phase=draft')).data.length, before)
    assert.doesNotMatch(await kept(), /r[ks]_test_/)
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await picture(page, 'kept-draft')
  })

  test('it is discarded with one button, and forgotten once it is saved', async () => {
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await description().inputValue(), '')
    assert.equal(await kept(), '')
    await description().fill('Oak shelf')
    await page.getByLabel('Unit price of line 1').fill('120')
    await isKept('Oak shelf')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
    assert.equal(await kept(), '')
    await page.goto(at('/documents/new'))
    await description().waitFor()
    assert.equal(await noticeCount(), 0)
  })

  test('each document has its own, and of an older revision it is asked about', async () => {
    const { data } = await get(ours, '/v1/documents?phase=draft')
    const [{ id }] = data
    await page.goto(at('/documents/new'))
    await description().fill('Beech shelf')
    await isKept('Beech shelf')
    await page.goto(at(`/documents/${id}/edit`))
    await description().waitFor()
    assert.equal(await noticeCount(), 0)
    await description().fill('Oak shelf, oiled')
    await isKept('oiled')
    const options = { key: ours, body: { notes: 'From another program' } }
    const { status } = await callApi({ baseUrl }, 'PATCH', `/v1/documents/${id}`, options)
    assert.equal(status, 200)
    await page.goto(at(`/documents/${id}/edit`))
    await page.getByText(/The draft has changed since/).waitFor()
    assert.equal(await description().inputValue(), 'Oak shelf')
    await page
      .getByRole('row', { name: 'Description of line 1 Oak shelf Oak shelf, oiled' })
      .waitFor()
    await page.getByRole('row', { name: 'Notes From another program –' }).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Restore' }).click()
    await isBack()
    assert.equal(await description().inputValue(), 'Oak shelf, oiled')
  })

  test('what is refused of it is said once it is sent, and not as soon as it is back', async () => {
    await page.goto(at('/documents/new'))
    await page.getByRole('button', { name: 'Discard' }).click()
    await description().fill('Cedar shelf')
    await page.getByLabel('Unit price of line 1').fill('12')
    await page.getByLabel('Quantity of line 1').fill('a dozen')
    await page.getByRole('alert').waitFor()
    await isKept('a dozen')
    const isTriedOut = page.waitForResponse(
      (one) => one.request().postData()?.includes('a dozen') === true,
    )
    await page.goto(at('/documents/new'))
    await isBack()
    assert.equal((await isTriedOut).status(), 400)
    await page.getByText(/These lines cannot be totalled yet/).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  test('what was entered more than a week ago is gone', async () => {
    await page.goto(at('/documents/new'))
    await description().fill('Maple shelf')
    await isKept('Maple shelf')
    // As if it had been entered that long ago.
    const age = (days: number) =>
      page.evaluate<void>(`(() => {
        const at = new Date(Date.now() - ${days} * 86_400_000).toISOString()
        const index = JSON.parse(localStorage.getItem('kept-drafts'))
        localStorage.setItem('kept-drafts', JSON.stringify(index.map(([key]) => [key, at])))
      })()`)
    await page.goto(at('/documents'))
    await age(6)
    await page.goto(at('/documents/new'))
    await isBack()
    await page.goto(at('/documents'))
    await age(8)
    await page.goto(at('/documents/new'))
    await description().waitFor()
    assert.equal(await description().inputValue(), '')
    assert.equal(await noticeCount(), 0)
    assert.equal(await kept(), '')
  })

  test('whoever signs out leaves nothing behind', async () => {
    await page.goto(at('/documents/new'))
    await description().fill('Ash shelf')
    await isKept('Ash shelf')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await until('nothing is kept', async () => (await kept()) === '')
    await signIn(page, practice.organization.admin)
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
