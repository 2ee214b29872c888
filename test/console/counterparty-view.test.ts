/** A document as its other side sees it, for whoever is both sides of a sandbox (console 1.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong } from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, picture, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, at, get, post, openSession, issueBill } = started

/** An invoice of a pair whose sides both belong to the admin, and a draft. */
const ownPair = async () => {
  const admin = await openSession(practice.organization.admin)
  const pair = await post(admin, '/v1/sandboxes', { name: 'Timber Yard' })
  const draftOf = (description: string): Promise<{ id: string }> =>
    post(pair.api_key, '/v1/documents', {
      connection_id: pair.connection_id,
      document_type: 'invoice',
      external_refs: { sandbox_scenario: 'manual', issuer_ref: 'SO-4711' },
      line_items: [{ description, quantity: 12, unit_price: 19.99, tax_rate: 0.08 }],
    })
  const invoice = await draftOf('Oak boards')
  await post(pair.api_key, `/v1/documents/${invoice.id}/issue`)
  const draft = await draftOf('Ash boards')
  const addressOf = (organization: string, { id }: { id: string }) =>
    `${baseUrl}/app/o/${organization}/documents/${id}`
  return { pair, invoice, draft, addressOf }
}

describe('a document as its other side sees it', { skip: skipsLong ?? false }, () => {
  const link = () => page.getByRole('link', { name: 'View as counterparty' })
  const refused = () => page.getByRole('button', { name: 'View as counterparty' })
  const reason = () =>
    page.evaluate<string>(`(() => {
      const button = [...document.querySelectorAll('main button')].find(
        (one) => one.innerText === 'View as counterparty')
      return document.getElementById(button.getAttribute('aria-describedby')).textContent
    })()`)

  const assertFits = async (): Promise<void> => {
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      // A button that has just appeared may still change its colour.
      await until('nothing is violated', async () => {
        return (await accessibilityViolations(page)).length === 0
      })
      assert((await overflowOf(page)) <= 0, `too wide at ${appearance.width} px`)
    }
  }

  test('it leads to the other side, says so there, and leads back', async () => {
    const { pair, invoice, draft, addressOf } = await ownPair()
    const ours = await get(pair.api_key, `/v1/documents/${invoice.id}`)
    const theirs = await get(pair.demo_api_key, `/v1/documents/${invoice.id}`)
    assert.notEqual(ours.number, theirs.number)
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.goto(addressOf(pair.organization.id, invoice))
    await page.getByRole('heading', { name: `Invoice ${ours.number}` }).waitFor()
    await link().click()
    await page.getByRole('heading', { name: `Bill ${theirs.number}` }).waitFor()
    await page.getByText(`You are ${pair.demo_organization.name} here`).waitFor()
    await assertFits()
    await picture(page, 'view-as-counterparty', allAppearances)
    await page.getByRole('link', { name: 'Back to Timber Yard' }).click()
    await page.getByRole('heading', { name: `Invoice ${ours.number}` }).waitFor()

    await page.goto(addressOf(pair.organization.id, draft))
    await refused().waitFor()
    assert.match(await reason(), /sees it once it is issued/)
  })

  test('the newcomer of a fresh start has both sides in one window, and moves both', async () => {
    const ours = await post(practice.organization.api_key, '/v1/documents', {
      connection_id: practice.connection_id,
      document_type: 'invoice',
      external_refs: { sandbox_scenario: 'manual' },
      line_items: [{ description: 'Oak boards', quantity: 1, unit_price: 10, tax_rate: 0 }],
    })
    await post(practice.organization.api_key, `/v1/documents/${ours.id}/issue`)
    const theirs = await get(practice.demo.api_key, `/v1/documents/${ours.id}`)
    await page.goto(at(`/documents/${ours.id}`))
    await page.getByRole('button', { name: 'Both sides' }).click()
    const other = page.getByRole('region', { name: 'Seen by Demo Counterparty' })
    await other.getByText(`Bill ${theirs.number}`).waitFor()
    const approve = other.getByRole('button', { name: 'Approve as Demo Counterparty' })
    await approve.waitFor()
    await assertFits()
    await picture(page, 'both-sides', allAppearances)
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await approve.click()
    await until('both sides show it', async () => {
      return (await page.getByText('Approved', { exact: true }).count()) >= 2
    })
    await page.goto(at(`/documents/${ours.id}`))
    await page.getByRole('heading', { name: /^Invoice INV-/ }).waitFor()
    await page.goto(`${baseUrl}/app`)
    await page.waitForURL(new RegExp(`/app/o/${practice.organization.id}$`))
  })

  test('whoever is no member of the other side reads why, and no pointer enters it', async () => {
    const owner = practice.demo.admin_session_token
    const members: { user_id: string; email: string }[] = (await get(owner, '/v1/members')).data
    const { email } = practice.organization.admin
    const { user_id } = members.find((member) => member.email === email)!
    const removed = await callApi({ baseUrl }, 'DELETE', `/v1/members/${user_id}`, { key: owner })
    assert.equal(removed.status, 200, removed.text)
    const bill = await issueBill('Oak boards')
    await page.goto(at(`/documents/${bill}`))
    await refused().waitFor()
    assert.match(await reason(), /You are not a member of Demo Counterparty/)
    assert.equal(await page.getByRole('button', { name: 'Both sides' }).count(), 0)
    await refused().press('Enter')
    await page.getByRole('heading', { name: /^Bill BILL-/ }).waitFor()
    assert(page.url().includes(practice.organization.id))
  })

  test('in live there is no such control, and the page says whose the other view is', async () => {
    const session = practice.live.admin_session_token
    const { id } = await post(session, '/v1/documents', {
      connection_id: practice.live.connection_id,
      document_type: 'invoice',
      line_items: [{ description: 'Oak boards', quantity: 1, unit_price: 10, tax_rate: 0 }],
    })
    await page.goto(`${baseUrl}/app/o/${practice.live.id}/documents/${id}`)
    await page.getByText(/its numbers and references are its own/).waitFor()
    assert.deepEqual([await link().count(), await refused().count()], [0, 0])
    assert.deepEqual(await accessibilityViolations(page), [])
    await until('nothing of the sandbox is shown', async () => {
      return !(await page.title()).includes('SANDBOX')
    })
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
