/** A device whose clock is a day off. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openPayment, skipsLong, watchedPage } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { until } from '../support/until.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { baseUrl, browser, practice, at, get, post, signIn, openSession } = started
const { addMember, approvePending, issueBill, statusOf } = started
const approver = { email: 'grace@example.com', password: 'a long enough passphrase' }

const dayMs = 86_400_000

/** Its clock goes wrong by so much, and right in everything else. */
const wrongBy = (ms: number): string => `
  globalThis.Date = class extends Date {
    constructor(...parts) {
      if (parts.length === 0) super(globalThis.Date.now())
      else super(...parts)
    }
    static now() {
      return super.now() + ${ms}
    }
  }`

const deviceWith = async (script: string) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addInitScript(script)
  const watched = await watchedPage(context, baseUrl)
  await signIn(watched.page, practice.organization.admin)
  return { ...watched, context }
}

describe('the clock of a device', { skip: skipsLong ?? false }, () => {
  test('a day ahead: what is approved runs as it was approved', async () => {
    await addMember(approver, 'approver')
    const admin = await openSession(practice.organization.admin)
    const rule = { name: 'Everything', when: { operation: 'documents.pay' } }
    await post(admin, '/v1/approval_rules', rule)
    const bill = await issueBill('Beech boards')
    await post(practice.organization.api_key, `/v1/documents/${bill}/transition`, {
      to: 'approved',
    })
    const { page, complaints, context } = await deviceWith(wrongBy(dayMs))
    const pay = async () => {
      await page.goto(at(`/documents/${bill}`))
      await (await openPayment(page)).click()
    }
    await pay()
    await page.getByText('It waits for another person').waitFor()
    await approvePending(approver)
    const answered = page.waitForResponse((response) => response.request().postData() === '{}')
    await pay()
    assert.equal((await answered).status(), 200)
    await until('it is paid', async () => (await statusOf(bill)) === 'paid')
    assert.deepEqual((await get(admin, '/v1/approvals?status=pending')).data, [])
    assert.deepEqual(complaints, [])
    await context.close()
  })

  for (const [name, ms] of [
    ['ahead', dayMs],
    ['behind', -dayMs],
  ] as const)
    test(`a day ${name}: a key that is in use is not called quiet, and nothing is of another day`, async () => {
      const admin = await openSession(practice.organization.admin)
      const scopes = ['documents:read']
      const { id, key } = await post(admin, '/v1/keys', { name: `Till ${name}`, scopes })
      await post(admin, `/v1/keys/${id}/rotate`)
      await get(key, '/v1/documents')
      const { page, complaints, context } = await deviceWith(wrongBy(ms))
      await page.goto(at('/keys'))
      const rotation = page.getByRole('region', { name: `Rotation of Till ${name}` })
      const old = rotation.getByRole('region', { name: 'Old key' })
      await old.getByText('1 call in the last hour').waitFor()
      assert.match(await old.getByRole('timer').innerText(), /^23:5\d:\d\d left$/)
      assert.match(await old.innerText(), /Last used (just now|\d+ minutes? ago)/)
      assert.deepEqual(complaints, [])
      await context.close()
    })
})
