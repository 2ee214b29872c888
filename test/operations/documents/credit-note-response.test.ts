/** Domain 7: what the buyer has answered to a credit note (Peppol BIS Invoice Response 3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aPair } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { answersOf, valueIn } from '../../support/interop/answers.ts'
import { saidBy } from '../../support/interop/response-use-cases.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))
const { render, problemsOf, walk, invoiceAt, responseOf, credit } = answersOf(running, pair)

describe('the response to a credit note', () => {
  test('names it as one; what was applied at once was received (AB)', async () => {
    const xml = await responseOf(await credit(await invoiceAt(), 20))
    assert.equal(valueIn(xml, 'DocumentTypeCode'), '381')
    assert.deepEqual(saidBy(xml), ['AB'])
  })

  test('follows the buyer; what the seller refunds leaves the last answer in force', async () => {
    const note = await credit(await invoiceAt('approved', 'paid'), 20)
    const codes: string[][] = []
    for (const to of ['acknowledged', 'approved'])
      codes.push(saidBy(await responseOf(await walk(note, to))))
    assert.deepEqual(codes, [['IP'], ['AP']])
    const approved = await responseOf(note)
    assert.equal(await responseOf(await walk(note, { to: 'paid', by: 'issuer' })), approved)
    assert.deepEqual(await problemsOf(note), [])
  })

  test('a rejection has its reason, and a cancelled one has no response', async () => {
    const [rejected, cancelled] = [
      await credit(await invoiceAt('approved', 'paid'), 20),
      await credit(await invoiceAt('approved', 'paid'), 20),
    ]
    await walk(rejected!, { to: 'rejected', reason_code: 'REF' })
    assert.deepEqual(saidBy(await responseOf(rejected!)), ['RE', 'OPStatusReason REF'])
    await walk(cancelled!, { to: 'cancelled', by: 'issuer' })
    const { rule } = assertRefused(await render(cancelled!), 'conflict')
    assert.equal(rule, 'PEPPOL-T111-B02901')
  })
})
