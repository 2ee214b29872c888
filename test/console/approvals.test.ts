/** Approvals in the console: what they are about, what is stuck, and what comes after them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import {
  accessibilityViolations,
  openPayment,
  skipsLong,
  watchedPage,
} from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, page, complaints, practice, at, get, post, issueBill, openSession } = started
const { addMember, approvePending, statusOf, signIn, browser } = started

const password = 'a long enough passphrase'
const grace = { email: 'grace@example.com', password }
const second = { email: 'second@example.com', password }
const finance = { email: 'finance@example.com', password }

describe('approvals in the console', { skip: skipsLong ?? false }, () => {
  const bills = { own: '', other: '' }
  const dialog = () => page.getByRole('dialog')

  test('a rule that needs two of a role with one member is marked in the list', async () => {
    await addMember(grace, 'approver')
    await addMember(finance, 'finance')
    await post(await openSession(practice.organization.admin), '/v1/approval_rules', {
      name: 'Two approvers',
      approvers: 2,
      roles: ['approver'],
      when: { operation: 'documents.pay', amount_above: 100, currency: 'USD' },
    })
    await page.goto(at('/approvals/rules'))
    await page.getByText('Only 1 of the 2 needed members counts today').first().waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  test('a rule for what repays loans is tried with an amount as people type it', async () => {
    const name = 'Repaying loans'
    const when = { operation: 'finance.agreements.repay' }
    await post(await openSession(practice.organization.admin), '/v1/approval_rules', { name, when })
    await page.goto(at('/approvals/rules'))
    await page.getByRole('button', { name: `Test this rule: ${name}` }).click()
    await dialog().getByLabel('Amount').waitFor()
    assert.equal(await dialog().getByLabel('Document type').count(), 0)
    await dialog().getByLabel('Amount').fill('$1,000.50')
    await dialog().getByRole('button', { name: 'Test this rule' }).click()
    await dialog().getByText('This rule applies.').waitFor()
  })

  test('an approval names who asked and its document, and says that it is stuck', async () => {
    for (const name of ['own', 'other'] as const) {
      bills[name] = await issueBill(`Boards, ${name}`)
      const approved = { to: 'approved' }
      await post(practice.organization.api_key, `/v1/documents/${bills[name]}/transition`, approved)
    }
    const asked = { key: await openSession(finance), body: {} }
    const reply = await callApi({ baseUrl }, 'POST', `/v1/documents/${bills.other}/pay`, asked)
    assert.equal(reply.status, 409, reply.text)
    await page.goto(at('/approvals'))
    await page.getByText('0 of 2 approved').waitFor()
    await page.getByText(/Only 1 of the 2 needed members counts today, so it cannot be/).waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('button', { name: /BILL-/ }).click()
    await dialog().getByText('It is stuck').waitFor()
    await dialog().getByText('Grace').waitFor()
    await dialog()
      .getByRole('link', { name: /^BILL-/ })
      .waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog().getByText('The rule names others').waitFor()
    const visitor = await browser.newContext()
    const theirs = await watchedPage(visitor, baseUrl)
    await signIn(theirs.page, grace)
    await theirs.page.goto(at('/approvals'))
    await theirs.page.getByRole('button', { name: /BILL-/ }).click()
    const seen = theirs.page.getByRole('dialog')
    await seen.getByText('Another member').waitFor()
    await seen.getByText(/^Owners and admins see the name of usr_\w+\.$/).waitFor()
    await seen.getByText(/^You may not see members, so not whether enough of them count/).waitFor()
    assert.equal(await seen.getByText('It is stuck').count(), 0)
    assert.deepEqual(await accessibilityViolations(theirs.page), [])
    assert.deepEqual(theirs.complaints, [])
    await visitor.close()
    const session = await openSession(grace)
    const [{ id }] = (await get(session, '/v1/approvals?status=pending')).data
    await post(session, `/v1/approvals/${id}/decline`, {})
  })

  test('a rule that names too few others says so, and counts nobody who may not approve any more', async () => {
    const admin = await openSession(practice.organization.admin)
    const { data } = await get(admin, '/v1/members')
    const isGrace = ({ email }: { email: string }) => email === grace.email
    const named = [grace, practice.organization.admin].map(
      ({ email }) => data.find((one: { email: string }) => one.email === email).user_id,
    )
    const { id: rule } = await post(admin, '/v1/approval_rules', {
      name: 'Named',
      approvers: 2,
      user_ids: named,
      when: { operation: 'documents.pay' },
    })
    const asked = { key: admin, body: {} }
    const reply = await callApi({ baseUrl }, 'POST', `/v1/documents/${bills.other}/pay`, asked)
    assert.equal(reply.status, 409, reply.text)
    const visitor = await browser.newContext()
    const theirs = await watchedPage(visitor, baseUrl)
    await signIn(theirs.page, grace)
    await theirs.page.goto(at('/approvals?status=pending'))
    await theirs.page.getByText('Only 1 of the 2 needed members counts today').waitFor()
    await visitor.close()
    const { id } = reply.body.error.details.approval
    const showsTwice = async (text: string) => {
      await page.goto(at('/approvals?status=pending'))
      await page.getByText(`${text}, ${text}`).waitFor()
    }
    const setRole = (role: string) =>
      callApi({ baseUrl }, 'PATCH', `/v1/members/${named[0]}`, { key: admin, body: { role } })
    await approvePending(grace)
    await showsTwice('1 of 2 approved')
    await setRole('viewer')
    await showsTwice('0 of 2 approved')
    await page.getByRole('button', { name: /BILL-/ }).click()
    await dialog().getByText(data.find(isGrace).name).waitFor()
    await setRole('approver')
    await post(await openSession(grace), `/v1/approvals/${id}/decline`, {})
    const removed = { key: admin, body: {} }
    assert.equal(
      (await callApi({ baseUrl }, 'DELETE', `/v1/approval_rules/${rule}`, removed)).status,
      200,
    )
  })

  test('whoever asked is led on to pay, once two have approved', async () => {
    await addMember(second, 'approver')
    const pay = async () => (await openPayment(page)).click()
    await page.goto(at(`/documents/${bills.own}`))
    await pay()
    await page.getByRole('link', { name: 'Open the approval' }).click()
    await dialog().getByText('0 of 2 approved').waitFor()
    assert.equal(await dialog().getByText('It is stuck').count(), 0)
    await approvePending(grace)
    await page.goto(at('/approvals?status=pending'))
    await page.getByText('1 of 2 approved').waitFor()
    await approvePending(second)
    await page.goto(at('/approvals?status=approved'))
    await page.getByRole('button', { name: /BILL-/ }).click()
    await dialog().getByText('2 of 2 approved').waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await dialog().getByRole('link', { name: 'Pay it now' }).click()
    await pay()
    await until('it is paid', async () => (await statusOf(bills.own)) === 'paid')
  })

  test('no page has complained', () => {
    assert.deepEqual(complaints, [])
  })
})
