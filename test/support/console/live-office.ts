/** A live organization that has one of everything that a page can open a dialog about. */
import assert from 'node:assert/strict'
import { callApi } from '../api-client.ts'
import { inDays } from '../dates.ts'
import type { LiveConsole } from './live-organizations.ts'

const scopes = ['documents:read', 'documents:write', 'payments:write']

export const liveOffice = async ({ console, issueLiveBill, lenderSession }: LiveConsole) => {
  const { baseUrl, practice, post } = console
  const { connection_id } = practice.live
  const ours = practice.live.admin_session_token
  const theirs = practice.live.counterparty_admin_session_token
  const move = (session: string, document: string, body: object) =>
    post(session, `/v1/documents/${document}/transition`, body)
  const invoice = async (unit_price: number): Promise<string> => {
    const { id } = await post(ours, '/v1/documents', {
      connection_id,
      document_type: 'invoice',
      payment_terms: 'Net 60',
      line_items: [{ description: 'Turbines', quantity: 1, unit_price, tax_rate: 0 }],
    })
    return id
  }
  const issuedInvoice = async (): Promise<string> => {
    const id = await invoice(12_500)
    await post(ours, `/v1/documents/${id}/issue`)
    return id
  }

  const [submitted, approved, scheduled] = [
    await issueLiveBill(),
    await issueLiveBill(),
    await issueLiveBill(),
  ]
  const { key } = await post(ours, '/v1/keys', {
    name: 'ERP',
    scopes,
    payment_limits: { max_per_payment: 10_000, daily_volume: 10_000 },
  })
  await post(ours, '/v1/keys', { name: 'Reports', scopes: ['documents:read'] })
  const rotated = await post(ours, '/v1/keys', { name: 'Shop', scopes: ['documents:read'] })
  await post(ours, `/v1/keys/${rotated.id}/rotate`)
  await move(ours, approved, { to: 'approved' })
  await move(ours, scheduled, { to: 'approved' })
  await move(key, scheduled, { to: 'payment_scheduled', scheduled_for: inDays(5) })
  const [draft, issued] = [await invoice(80), await issuedInvoice()]

  const setup = { borrower: { enabled: true }, lender: { enabled: true } }
  const lender = await lenderSession()
  for (const key of [ours, lender]) {
    const reply = await callApi({ baseUrl }, 'PUT', '/v1/finance/setup', { key, body: setup })
    assert.equal(reply.status, 200, reply.text)
  }
  const terms = { principal: 10_000, fee: { type: 'bps', value: 250 }, grace_days: 7 }
  const offered = async () => {
    const document_id = await issuedInvoice()
    await move(theirs, document_id, { to: 'approved' })
    const { id } = await post(ours, '/v1/finance/listings', { document_id, terms })
    return post(lender, `/v1/finance/listings/${id}/offers`, { kind: 'at_ask' })
  }
  await offered()
  const { id: offer, standing_authorization } = await offered()
  await post(ours, `/v1/finance/offers/${offer}/accept`, {
    authorization_digest: standing_authorization.digest,
  })

  await post(ours, '/v1/approval_rules', {
    name: 'Large payments',
    approvers: 1,
    when: { operation: 'documents.pay', amount_above: 50_000, currency: 'USD' },
  })
  const endpoint = await post(ours, '/v1/webhooks', {
    // Nothing is sent to this public address: the event does not happen here.
    url: 'https://93.184.216.34/docex',
    events: ['finance.agreement.closed'],
  })
  await post(ours, '/v1/invitations', { email: 'ada@example.com', role: 'viewer' })
  const invitation = { email: 'alan@example.com', role: 'approver' }
  const { token } = await post(ours, '/v1/invitations', invitation)
  const body = { token, name: 'Alan', password: 'a long enough passphrase' }
  const accepted = await callApi({ baseUrl }, 'POST', '/auth/invitations/accept', { body })
  assert(accepted.status < 300, accepted.text)
  await post(ours, '/v1/connections', { email: 'partner@example.com' })
  return { submitted, approved, draft, issued, endpoint: endpoint.id as string }
}
