/** A write that a person has to approve first: the command says how, and runs once with its key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKeyThatAsks, aMember } from '../../test/support/approvals/keys-that-ask.ts'
import { aPair } from '../../test/support/fixtures.ts'
import { anApprovedInvoice } from '../../test/support/payments/approved-invoices.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { cliWith } from './support/run-cli.ts'

const running = await startTestService()
const pair = await aPair(running)
const key = await aKeyThatAsks(running, pair.counterparty)
const approver = await aMember(running, pair.counterparty, 'approver')
const settings = { DOCEX_BASE_URL: running.baseUrl }
const asker = cliWith({ ...settings, DOCEX_API_KEY: key })
const person = cliWith({ ...settings, DOCEX_API_KEY: approver.session })

test('what it says leads to the payment, as a text and as JSON', async () => {
  for (const json of [[], ['--json']]) {
    const { id } = await anApprovedInvoice(running, pair)
    const pay = ['documents', 'pay', id, ...json]
    const asked = await asker(pay)
    assert.equal(asked.code, 1)
    const { error } = json.length === 0 ? { error: undefined } : JSON.parse(asked.stderr)
    const said = /docex (approvals approve \S+ --digest \S+)/.exec(asked.stderr)?.[1]
    const approval = error?.details.approval
    const approve = said ?? `approvals approve ${approval.id} --digest ${approval.digest}`
    const repeated: string =
      error?.idempotency_key ?? /--idempotency-key (\S+)/.exec(asked.stderr)![1]
    const approved = await person(approve.split(' '))
    assert.equal(approved.code, 0, approved.stderr)
    const paid = await asker([...pay, '--idempotency-key', repeated])
    assert.equal(paid.code, 0, paid.stderr)
    if (error === undefined) assert.match(asked.stderr, /what {5}Pay /)
  }
})
