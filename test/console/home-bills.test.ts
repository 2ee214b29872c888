/** Home lists the bills that its list has: what nobody can pay any more is not among them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipsLong } from '../support/console/browser.ts'
import { type RunningConsole, startConsole } from '../support/console/running-console.ts'
import { runAdmin } from '../support/processes/program.ts'

const started = skipsLong === undefined ? await startConsole() : ({} as RunningConsole)
const { dataDir, practice, page, at, get, post, issueBill } = started

const admin = async (...command: string[]): Promise<string> =>
  (await runAdmin(command, { DATA_DIR: dataDir })).stdout

/** A bill of another sandbox, which is approved, and then frozen: its issuer starts anew. */
const frozenBill = async (): Promise<string> => {
  const party = ['--name', 'Reset Ltd', '--admin-email', 'pat@example.com', '--admin-name', 'Pat']
  const [theirs] = (await admin('organization', 'create', '--sandbox', ...party)).match(/org_\w+/)!
  await admin('connection', 'create', practice.organization.id, theirs)
  const [session] = (await admin('session', 'pat@example.com')).match(/rs_test_\S+/)!
  const [connection] = (await get(session, '/v1/connections')).data
  const { id } = await post(session, '/v1/documents', {
    connection_id: connection.id,
    document_type: 'invoice',
    line_items: [{ description: 'Turbines', quantity: 1, unit_price: 10, tax_rate: 0 }],
  })
  await post(session, `/v1/documents/${id}/issue`)
  await post(practice.organization.api_key, `/v1/documents/${id}/transition`, { to: 'approved' })
  await post(session, '/v1/sandbox/reset')
  return id
}

describe('the bills of Home', { skip: skipsLong ?? false }, () => {
  test('are those that can be paid, without one whose other side has reset its sandbox', async () => {
    const bill = await issueBill('Rope')
    const ours = practice.organization.api_key
    await post(ours, `/v1/documents/${bill}/transition`, { to: 'approved' })
    const frozen = await frozenBill()
    const { number } = await get(ours, `/v1/documents/${bill}`)
    const { number: gone, phase } = await get(ours, `/v1/documents/${frozen}`)
    assert.equal(phase, 'accepted')
    await page.goto(at('/'))
    const listed = page.getByRole('region', { name: 'To pay' }).getByRole('link', { name: /BILL-/ })
    await listed.first().waitFor()
    const texts = (await listed.allTextContents()).join(' ')
    assert.match(texts, new RegExp(number))
    assert.doesNotMatch(texts, new RegExp(gone))
  })
})
