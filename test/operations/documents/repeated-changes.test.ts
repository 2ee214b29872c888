/**
 * A document takes a bounded number of the changes that can be repeated for ever. `LONG=1` makes
 * the thousand of the contract, and otherwise the bound is lower meanwhile.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { inDays } from '../../support/dates.ts'
import { aDraft, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const contractMax = limits.changesPerDocumentMax
const setBound = (changesPerDocumentMax: number) => Object.assign(limits, { changesPerDocumentMax })
if (process.env['LONG'] !== '1') setBound(40)
after(() => setBound(contractMax))

const running = await startTestService()

test('the bound of the contract is a thousand changes', () => {
  assert.equal(contractMax, 1_000)
})

test('after as many changes a draft is not edited, nor an issued document disputed or scheduled, only brought to its end', async () => {
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  const { id } = await aDraft(running, pair)
  const edit = (notes: string) =>
    callApi(running, 'PATCH', `/v1/documents/${id}`, { key: issuer.key, body: { notes } })
  // The draft itself is the first change.
  for (let changes = 1; changes < limits.changesPerDocumentMax; changes += 1) {
    const { status, text } = await edit(`${changes}`)
    assert.equal(status, 200, text)
  }
  const details = assertRefused(await edit('one more'), 'conflict', 'too_many_changes')
  assert.equal(details.limit, limits.changesPerDocumentMax)
  const issued = await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
  assert.equal(issued.status, 200, issued.text)
  const history = await callApi(running, 'GET', `/v1/documents/${id}/history`, { key: issuer.key })
  assert(history.body.entries.length > limits.changesPerDocumentMax, history.text.slice(0, 300))
  const answer = (to: string) => move(running, counterparty.key, id, to)
  assert.equal((await answer('disputed')).status, 200, 'the edits take no dispute away')
  assert.equal((await answer('acknowledged')).status, 200)
  await runAndSeal(
    running.database,
    'documents',
    sql`update documents set counterparty_events = ${limits.changesPerDocumentMax}
      where id = ${decodeId('doc', id)!}`,
  )
  assertRefused(await answer('disputed'), 'conflict', 'too_many_changes')
  assert.equal((await answer('approved')).status, 200)
  const when = { scheduled_for: inDays(5) }
  const scheduled = await move(running, counterparty.key, id, 'payment_scheduled', when)
  assertRefused(scheduled, 'conflict', 'too_many_changes')
  const past = await move(running, counterparty.key, id, 'payment_scheduled', {
    scheduled_for: inDays(-1),
  })
  assertRefused(past, 'invalid_request')
  // A payment that is scheduled for today is made now.
  const now = { scheduled_for: inDays(0) }
  const paid = await move(running, counterparty.key, id, 'payment_scheduled', now)
  assert.equal(paid.status, 200, paid.text)
})

test('a dispute that would be one too many is offered nowhere, and refused for that', async () => {
  const pair = await aPair(running)
  const { key } = pair.counterparty
  const { id } = await anInvoice(running, pair)
  const offered = async (): Promise<Record<string, string[]>> => {
    const get = async (path: string) => (await callApi(running, 'GET', path, { key })).body
    const { allowed } = await get(`/v1/documents/${id}/transitions`)
    const refused = await move(running, key, id, 'expired')
    return {
      document: (await get(`/v1/documents/${id}`)).allowed_transitions,
      list: (await get(`/v1/documents?id=${id}`)).data[0].allowed_transitions,
      transitions: allowed.map(({ to }: { to: string }) => to),
      refusal: refused.body.error.details.allowed,
    }
  }
  const expectEverywhere = async (moves: string[]) => {
    for (const [place, shown] of Object.entries(await offered())) {
      assert.deepEqual(shown, moves, place)
    }
  }
  await expectEverywhere(['acknowledged', 'approved', 'disputed', 'rejected'])
  await runAndSeal(
    running.database,
    'documents',
    sql`update documents set counterparty_events = ${limits.changesPerDocumentMax - 1}
      where id = ${decodeId('doc', id)!}`,
  )
  const acknowledged = await move(running, key, id, 'acknowledged')
  assert.deepEqual(acknowledged.body.allowed_transitions, ['approved', 'rejected'])
  await expectEverywhere(['approved', 'rejected'])
  const events = await callApi(running, 'GET', `/v1/events?document=${id}`, { key })
  const newest = events.body.data[0].data.document
  assert.deepEqual(newest.allowed_transitions, ['approved', 'rejected'])
  assertRefused(await move(running, key, id, 'disputed'), 'conflict', 'too_many_changes')
  await move(running, key, id, 'approved')
  // A payment of today is made, however often the document has changed.
  await expectEverywhere(['payment_scheduled', 'paid'])
})
