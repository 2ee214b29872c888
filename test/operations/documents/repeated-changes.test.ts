/** A document takes a bounded number of the changes that can be repeated for ever. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { aDraft, aPair, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

test('after a thousand changes a document is neither edited, disputed nor scheduled, only brought to its end', async () => {
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
  const disputed = await move(running, counterparty.key, id, 'disputed')
  assertRefused(disputed, 'conflict', 'too_many_changes')
  assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
  const when = { scheduled_for: inDays(5) }
  const scheduled = await move(running, counterparty.key, id, 'payment_scheduled', when)
  assertRefused(scheduled, 'conflict', 'too_many_changes')
  const today = { scheduled_for: inDays(0) }
  const paid = await move(running, counterparty.key, id, 'paid', today)
  assert.equal(paid.status, 200, paid.text)
  const history = await callApi(running, 'GET', `/v1/documents/${id}/history`, { key: issuer.key })
  assert(history.body.entries.length > limits.changesPerDocumentMax, history.text.slice(0, 300))
})
