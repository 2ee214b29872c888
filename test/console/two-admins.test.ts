/** Two people who change the same settings: nobody reverts what the other has changed meanwhile. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, at, get, post, addMember, openSession } = started
const { browser, signIn } = started

describe('settings that two people change', { skip: skipsLong ?? false }, () => {
  const dialog = () => page.getByRole('dialog')
  const admin = () => openSession(practice.organization.admin)
  const patch = async (path: string, body: object) => {
    const reply = await callApi({ baseUrl }, 'PATCH', path, { key: await admin(), body })
    assert.equal(reply.status, 200, reply.text)
  }
  const profile = async () => (await get(await admin(), '/v1/organization')).profile

  test('the profile keeps a bank account that somebody else has changed since it was read', async () => {
    const bank = { iban: 'DE89370400440532013000', bic: null, account_name: 'Oak' }
    await patch('/v1/organization', { profile: { bank } })
    await page.goto(at('/settings'))
    await page.getByLabel('Legal name').fill('Oak Ltd')
    const changed = { ...bank, iban: 'GB29NWBK60161331926819' }
    await patch('/v1/organization', { profile: { bank: changed } })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The profile is saved.').first().waitFor()
    const { legal_name, bank: kept } = await profile()
    assert.deepEqual([legal_name, kept], ['Oak Ltd', changed])
  })

  test('the profile keeps what has no field in the form', async () => {
    const address = { line1: '1 Mill Road', line2: 'Floor 2', city: 'Leeds' }
    await patch('/v1/organization', { profile: { address } })
    await page.goto(at('/settings'))
    await page.getByLabel('City').fill('York')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The profile is saved.').first().waitFor()
    const { line1, line2, city } = (await profile()).address
    assert.deepEqual({ line1, line2, city }, { ...address, city: 'York' })
  })

  test('an address of which all fields are emptied goes, with what has no field', async () => {
    await page.goto(at('/settings'))
    for (const label of ['Address', 'City']) await page.getByLabel(label).fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The profile is saved.').first().waitFor()
    assert.equal((await profile()).address, null)
  })

  test('an approval rule keeps the number of approvers that somebody else has set', async () => {
    const when = { operation: 'documents.pay', amount_above: 5, currency: 'USD' }
    const { id } = await post(await admin(), '/v1/approval_rules', { name: 'One', when })
    await page.goto(at('/approvals/rules'))
    await page.getByRole('button', { name: /^One/ }).click()
    await dialog().getByLabel('Name').fill('Large')
    await patch(`/v1/approval_rules/${id}`, { approvers: 3 })
    await dialog().getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('“Large” is saved').first().waitFor()
    const [rule] = (await get(await admin(), '/v1/approval_rules')).data
    assert.deepEqual([rule.name, rule.approvers], ['Large', 3])
  })

  test('the amount of a rule is typed as any other amount', async () => {
    await page.goto(at('/approvals/rules'))
    await page.getByRole('button', { name: /^Large/ }).click()
    for (const typed of ['0x10', '1e3', 'many']) {
      await dialog().getByLabel('More than').fill(typed)
      await dialog().getByText('Write the amount with digits').waitFor()
    }
    await dialog().getByLabel('More than').fill('1,000.50')
    await dialog().getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('“Large” is saved').first().waitFor()
    const [rule] = (await get(await admin(), '/v1/approval_rules')).data
    assert.equal(rule.when.amount_above, 1000.5)
  })

  test('a rule that names somebody who has left can be changed, and goes on without them', async () => {
    const password = 'a long enough passphrase'
    for (const name of ['left', 'stays'])
      await addMember({ email: `${name}@example.com`, password }, 'approver')
    const { data } = await get(await admin(), '/v1/members?role=approver')
    const [stays, left] = data.map((one: { user_id: string }) => one.user_id)
    const when = { operation: 'documents.pay' }
    const named = { name: 'Named', when, user_ids: [left, stays] }
    await post(await admin(), '/v1/approval_rules', named)
    await callApi({ baseUrl }, 'DELETE', `/v1/members/${left}`, { key: await admin() })
    await page.goto(at('/approvals/rules'))
    await page.getByRole('button', { name: /^Named/ }).click()
    await dialog()
      .getByLabel(/no longer an approver/)
      .click()
    await dialog().getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('“Named” is saved').first().waitFor()
    const [rule] = (await get(await admin(), '/v1/approval_rules')).data
    assert.deepEqual(rule.user_ids, [stays])
  })

  test('of many members, those who may approve are offered', async () => {
    const password = 'a long enough passphrase'
    for (let count = 0; count < 100; count += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          addMember({ email: `viewer${count + i}@example.com`, password }, 'viewer'),
        ),
      )
    await page.goto(at('/approvals/rules'))
    await page.getByRole('button', { name: 'New rule' }).first().click()
    await dialog().getByLabel('Who counts').selectOption('people')
    await dialog()
      .getByLabel(/\(owner\)$/)
      .waitFor()
    await dialog()
      .getByLabel(/\(approver\)$/)
      .waitFor()
    assert.equal(
      await dialog()
        .getByLabel(/\(viewer\)$/)
        .count(),
      0,
    )
  })

  test('the audit log offers the first of many members, and whoever has left', async () => {
    const key = await admin()
    const { data } = await get(key, '/v1/members?limit=100')
    const gone = data.find(({ email }: { email: string }) => email === 'viewer95@example.com')
    const path = `/v1/members/${gone.user_id}`
    assert.equal((await callApi({ baseUrl }, 'DELETE', path, { key })).status, 200)
    const first = (await get(key, '/v1/me')).user.id
    await page.goto(at('/audit'))
    const person = page.getByLabel('Person')
    for (const id of [first, gone.user_id])
      await person.locator(`option[value="${id}"]`).waitFor({ state: 'attached' })
    await person.selectOption(gone.user_id)
    await page.waitForURL(/user=/)
    await person.locator(`option[value="${first}"]`).waitFor({ state: 'attached' })
    assert.equal(await person.inputValue(), gone.user_id)
  })

  test('a time zone that this browser does not list is shown as it was chosen', async () => {
    await patch('/v1/preferences', { time_zone: 'Asia/Kolkata' })
    await page.goto(at('/settings'))
    await page.getByLabel('Times').waitFor()
    assert.equal(await page.getByLabel('Times').inputValue(), 'Asia/Kolkata')
  })

  test('whoever loses a role while a page is open is told the role of now', async () => {
    const grace = { email: 'grace@example.com', password: 'a long enough passphrase' }
    await addMember(grace, 'admin')
    const visitor = await browser.newContext()
    const theirs = await watchedPage(visitor, baseUrl)
    await signIn(theirs.page, grace)
    await theirs.page.goto(at('/keys'))
    await theirs.page.getByRole('button', { name: 'New key' }).first().click()
    const opened = theirs.page.getByRole('dialog')
    await opened.getByLabel('Name').fill('ERP')
    const [{ user_id }] = (await get(await admin(), '/v1/members?limit=1')).data
    await patch(`/v1/members/${user_id}`, { role: 'viewer' })
    await opened.getByRole('button', { name: 'Create key' }).click()
    await opened.getByText('You are viewer here.').waitFor()
    await theirs.page.keyboard.press('Escape')
    await theirs.page.getByRole('link', { name: 'Settings' }).click()
    await theirs.page.getByText('Owners and admins see who acts for the organization').waitFor()
    assert.deepEqual(theirs.complaints, [])
    await visitor.close()
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
