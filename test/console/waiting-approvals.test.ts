/** Home tells whom an approval waits for (console 1.2: *Needs you*). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { accessibilityViolations, skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, post, openSession, issueBill, signIn, addMember } = started
const approver = { email: 'grace@example.com', password: 'a long enough passphrase' }

describe('an approval on Home', { skip: skipsLong ?? false }, () => {
  test('waits for who may decide, and for nobody once it is decided', async () => {
    await addMember(approver, 'approver')
    const session = await openSession(practice.organization.admin)
    const rule = { name: 'Everything', when: { operation: 'documents.pay' } }
    await post(session, '/v1/approval_rules', rule)
    const bill = await issueBill('Beech boards')
    await post(session, `/v1/documents/${bill}/transition`, { to: 'approved' })
    const path = `/v1/documents/${bill}/pay`
    const asked = await callApi({ baseUrl }, 'POST', path, { key: session, body: {} })
    assert.equal(asked.status, 409, asked.text)
    const visitor = await browser.newContext()
    const { page, complaints } = await watchedPage(visitor, baseUrl)
    await page.setViewportSize({ width: 1440, height: 900 })
    await signIn(page, approver)
    const waiting = page.getByRole('link', { name: 'An approval waits for you' })
    await waiting.waitFor()
    assert.deepEqual(await accessibilityViolations(page), [])
    await waiting.click()
    await page.waitForURL(/\/approvals\?status=pending/)
    const { id, digest } = asked.body.error.details.approval
    await post(await openSession(approver), `/v1/approvals/${id}/approve`, { digest })
    await page.goto(at('/'))
    await page.getByRole('heading', { name: 'To approve' }).waitFor()
    assert.equal(await waiting.count(), 0)
    assert.deepEqual(complaints, [])
    await visitor.close()
  })
})
