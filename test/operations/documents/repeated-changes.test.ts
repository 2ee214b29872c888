/** A document takes a bounded number of the changes that can be repeated for ever. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { inDays } from '../../support/dates.ts'
import { aDraft, aPair, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

test('after a thousand changes a draft is not edited, nor an issued document disputed or scheduled, only brought to its end', async () => {
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
