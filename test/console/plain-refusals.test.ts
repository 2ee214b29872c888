/** What the console says in its own terms, at the field where it was typed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Locator,
  accessibilityViolations,
  skipsLong,
  watchedPage,
} from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, page, complaints, practice, at, program } = started
const { issueBill, addMember, signIn } = started

describe('refusals in the terms of the console', { skip: skipsLong ?? false }, () => {
  const dialog = () => page.getByRole('dialog')
  const saidAt = async (field: Locator): Promise<string> => {
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    const id = await field.getAttribute('aria-describedby')
    return page.locator(`[id="${id}"]`).innerText()
  }

  test('a tax above all is said in percent, and a decimal comma is understood', async () => {
    await page.goto(at('/documents/new'))
    await page.getByLabel('Description of line 1').fill('Oak')
    await page.getByLabel('Quantity of line 1').fill('1,5')
    await page.getByLabel('Unit price of line 1').fill('10,50')
    await page.getByLabel('Tax % of line 1').fill('900')
    await page.getByText('At most 100 %').waitFor()
    const said = await saidAt(page.getByLabel('Tax % of line 1'))
    assert.equal(said, 'Tax %: At most 100 %.')
    await page.getByLabel('Tax % of line 1').fill('10')
    await page.getByText('$17.33').first().waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
  })

  test('a fee of a loan is checked in percent, before it is sent', async () => {
    await page.goto(at('/finance'))
    await page.getByRole('button', { name: 'Ask for a loan' }).click()
    const percent = dialog().getByLabel('Percent')
    for (const fee of ['-2', '101', '2.555']) {
      await percent.fill(fee)
      const said = await saidAt(percent)
      assert.equal(said, 'Enter a percentage from 0 to 100, with at most two decimals.')
    }
    assert.deepEqual(await accessibilityViolations(page), [])
    await percent.fill('2,5')
    assert.equal(await percent.getAttribute('aria-invalid'), 'false')
  })

  test('a name of a key that is too long is refused at its field', async () => {
    await page.goto(at('/keys'))
    await page.getByRole('button', { name: 'New key' }).first().click()
    await dialog().getByLabel('Name').fill('k'.repeat(101))
    await dialog().getByRole('button', { name: 'Create key' }).click()
    await dialog().getByText('Correct the marked field.').waitFor()
    assert.match(await saidAt(dialog().getByLabel('Name')), /100/)
  })

  test('what a role may not read is asked for once, and not again by itself', async () => {
    const person = { email: 'vera@example.com', password: 'a long enough passphrase' }
    await addMember(person, 'viewer')
    const context = await browser.newContext()
    const { page: visit } = await watchedPage(context, baseUrl)
    await signIn(visit, person)
    await visit.clock.install()
    const asked: string[] = []
    visit.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const timesAsked = (path: string) => asked.filter((one) => one === path).length
    await visit.goto(at('/documents'))
    await visit
      .getByRole('link', { name: /^BILL-/ })
      .first()
      .waitFor()
    await visit.clock.runFor(200_000)
    await until('documents are read again', () => timesAsked('/v1/documents') > 1)
    await visit.goto(at('/webhooks'))
    await visit.getByText('Your role does not include this').waitFor()
    await visit.clock.runFor(200_000)
    assert.equal(timesAsked('/v1/webhooks'), 1)
    const { page: other } = await watchedPage(context, baseUrl)
    await other.goto(at('/documents'))
    const bills = other.getByRole('link', { name: /^BILL-/ })
    await bills.first().waitFor()
    const before = await bills.count()
    await issueBill('Cedar boards')
    await until('both have heard of it', async () => (await bills.count()) > before)
    await visit.clock.runFor(10_000)
    assert.equal(timesAsked('/v1/webhooks'), 1)
    await context.close()
  })

  test('whoever approves a bill reads the amount and the payee', async () => {
    await page.goto(at(`/documents/${await issueBill('Ash boards')}`))
    await page.getByRole('button', { name: 'Approve' }).click()
    await dialog()
      .getByText(/^You commit to pay \$259\.07 to Demo Counterparty\./)
      .waitFor()
  })

  test('a signing secret is not called a hash', async () => {
    await page.goto(at('/webhooks'))
    await page.getByRole('button', { name: 'New endpoint' }).first().click()
    await page.getByLabel('Address').fill('http://127.0.0.1:9/hook')
    await page.getByRole('button', { name: 'Register' }).click()
    await dialog()
      .getByText(/The service signs each delivery with it/)
      .waitFor()
    assert.doesNotMatch(await dialog().innerText(), /hash/)
    await dialog().getByRole('button', { name: 'I have stored it' }).click()
  })

  test('where the browser lets no page copy, a copy says so', async () => {
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/treasury`)
    const copy = page.getByRole('button', { name: 'Copy the organization id' }).first()
    await copy.waitFor()
    // As in every page over http that is not on the own machine.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await copy.click()
    await page.getByText('The browser does not let this page copy').waitFor()
  })

  test('the setup asks for its link, and says how long a password must be before it is sent', async () => {
    const link = /\S+\/app\/setup#t=\S+/.exec(program.output())![0]
    const setup = await watchedPage(await browser.newContext(), baseUrl)
    await setup.page.goto(`${baseUrl}/app/setup`)
    await setup.page.getByRole('heading', { name: 'Open the setup link' }).waitFor()
    assert.equal(await setup.page.getByRole('textbox').count(), 0)
    await setup.page.goto('about:blank')
    await setup.page.goto(link)
    await setup.page.getByLabel('Organization').fill('Acme')
    await setup.page.getByLabel('Your name').fill('Ada')
    await setup.page.getByLabel('E-mail').fill('ada@example.com')
    await setup.page.getByLabel('Password').fill('too short')
    await setup.page.getByRole('button', { name: 'Create organization' }).click()
    const said = await setup.page.evaluate<string>(
      `document.querySelector('input[type=password]').validationMessage`,
    )
    assert.match(said, /12/)
    assert.equal(await setup.page.getByRole('alert').count(), 0)
    assert.deepEqual(setup.complaints, [])
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
