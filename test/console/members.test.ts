/** Members and invitations in the console: who is invited, gets another role, and goes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong, watchedPage } from '../support/console/browser.ts'
import { overflowOf } from '../support/console/looks.ts'
import { allAppearances, showAs } from '../support/console/pictures.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, page, complaints, practice, at, post, openSession, addMember } = started
const password = 'a long enough passphrase'
const grace = { email: 'grace@example.com', password }

describe('members in the console', { skip: skipsLong ?? false }, () => {
  const members = () => page.getByRole('region', { name: 'Members' })
  const dialog = () => page.getByRole('dialog')
  const roleOf = async (email: string): Promise<string | undefined> => {
    const key = await openSession(practice.organization.admin)
    const { data } = (await callApi({ baseUrl }, 'GET', '/v1/members', { key })).body
    return data.find((one: { email: string }) => one.email === email)?.role
  }

  test('contract 12: a member with the role `member` is shown as that, and only there it is offered', async () => {
    await addMember(grace, 'member')
    await page.goto(at('/settings'))
    const role = page.getByLabel('Role of Grace')
    await role.waitFor()
    assert.equal(await role.inputValue(), 'member')
    for (const appearance of allAppearances) {
      await showAs(page, appearance)
      assert.deepEqual(await accessibilityViolations(page), [])
      assert.equal(await overflowOf(page), 0)
    }
    await showAs(page, { width: 1440, colorScheme: 'light' })
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const offered = await dialog().getByLabel('Role').innerText()
    assert.match(offered, /Owner[\s\S]*Viewer/)
    assert.doesNotMatch(offered, /Member/)
    await page.keyboard.press('Escape')
  })

  test('a role changes only once the question is answered', async () => {
    await page.getByLabel('Role of Grace').selectOption('admin')
    await dialog()
      .getByText(/^From now on it allows everything but changes of owners/)
      .waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog().getByRole('button', { name: 'Keep it' }).click()
    assert.equal(await page.getByLabel('Role of Grace').inputValue(), 'member')
    assert.equal(await roleOf(grace.email), 'member')
    await page.getByLabel('Role of Grace').selectOption('viewer')
    await dialog().getByRole('button', { name: 'Change the role' }).click()
    await page.getByText('Grace is viewer').first().waitFor()
    assert.equal(await roleOf(grace.email), 'viewer')
    assert.doesNotMatch(await page.getByLabel('Role of Grace').innerText(), /Member/)
  })

  test('the last owner stays, and why is said at the button', async () => {
    const row = members().getByRole('row', { name: /Owner/ })
    const remove = row.getByRole('button', { name: /^Remove / })
    assert.equal(await remove.getAttribute('aria-disabled'), 'true')
    await row.getByText('This is the last owner: make another member an owner first.').waitFor()
    assert.equal(await row.getByRole('combobox').count(), 0)
  })

  test('whoever is removed has no access from then on', async () => {
    const session = await openSession(grace)
    await page.getByRole('button', { name: 'Remove Grace' }).click()
    await dialog()
      .getByText(/^grace@example\.com loses access to Practice Organization at once/)
      .waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Grace is removed.').first().waitFor()
    await page.getByLabel('Role of Grace').waitFor({ state: 'hidden' })
    assert.equal((await callApi({ baseUrl }, 'GET', '/v1/me', { key: session })).status, 401)
  })

  const invite = async (email: string): Promise<string> => {
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog().getByLabel('E-mail').fill(email)
    await dialog().getByRole('button', { name: 'Create invitation' }).click()
    const link = dialog().getByText(/\/app\/invitation#t=mi_/)
    await link.waitFor()
    return link.innerText()
  }

  test('an invitation is a link to hand over, by which the person joins', async () => {
    const link = await invite('ada@example.com')
    assert(link.startsWith(`${baseUrl}/app/invitation#t=mi_`), link)
    await dialog()
      .getByText(/joins Practice Organization as viewer, until it expires/)
      .waitFor()
    await dialog().getByText('No e-mail is sent from here').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog().getByRole('button', { name: 'Done' }).click()
    const elsewhere = await watchedPage(await browser.newContext(), baseUrl)
    await elsewhere.page.goto(link)
    await elsewhere.page.getByLabel('Your name').fill('Ada')
    await elsewhere.page.getByLabel('Password').fill(password)
    await elsewhere.page.getByRole('button', { name: 'Accept' }).click()
    await elsewhere.page.getByRole('heading', { name: /^Good / }).waitFor()
    assert.deepEqual(elsewhere.complaints, [])
    assert.equal(await roleOf('ada@example.com'), 'viewer')
  })

  test('a pending invitation is revoked, and its link no longer works', async () => {
    const token = (await invite('alan@example.com')).split('#t=')[1]
    await dialog().getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke the invitation of alan@example.com' }).click()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog().getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('The invitation of alan@example.com is revoked.').first().waitFor()
    await page
      .getByRole('row', { name: /alan@example\.com/ })
      .getByText('Revoked')
      // The first is below the address, on a phone.
      .last()
      .waitFor()
    const revocable = page.getByRole('button', { name: /^Revoke the invitation of / })
    assert.equal(await revocable.count(), 0, 'neither what is accepted nor what is revoked')
    const body = { token, password, name: 'Alan' }
    const accept = await callApi({ baseUrl }, 'POST', '/auth/invitations/accept', { body })
    assert.equal(accept.status, 401)
  })

  test('console 1.3: on a phone the address of an invitation has the room of the table', async () => {
    const email = 'accounts.payable@subsidiary.example.com'
    const key = await openSession(practice.organization.admin)
    await post(key, '/v1/invitations', { email, role: 'viewer' })
    await showAs(page, { width: 390, colorScheme: 'light' })
    await page.goto(at('/settings'))
    const address = page.getByRole('region', { name: 'Invitations' }).getByText(email)
    await address.waitFor()
    const lines = `(() => {
      const [span] = [...document.querySelectorAll('td span')].filter(
        ({ innerText }) => innerText === '${email}')
      return span.getClientRects().length
    })()`
    assert((await page.evaluate<number>(lines)) <= 2)
    await page.getByRole('region', { name: 'Invitations' }).getByText('Pending').first().waitFor()
    await showAs(page, { width: 1440, colorScheme: 'light' })
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
