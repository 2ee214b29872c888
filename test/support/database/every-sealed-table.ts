/** An organization, its partners and what they have done: a row in every sealed table. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { createSignInLink } from '../../../src/changes/identity/sign-in-links.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { insertPractice } from '../../../src/store/deployment.ts'
import { insertPendingFile } from '../../../src/store/documents/pending-files.ts'
import { insertNotices } from '../../../src/store/notices/notices.ts'
import { insertIdentity } from '../../../src/store/identity/user-identities.ts'
import { setPasswordHash, userForShare } from '../../../src/store/identity/users.ts'
import { callApi } from '../api-client.ts'
import { aKeyThatAsks, aRule } from '../approvals/keys-that-ask.ts'
import { attachmentsClient } from '../documents/attachments-client.ts'
import { askedTerms, loanParties, loansClient } from '../finance/loans.ts'
import { type Pair, aDraft, aKey, aPair, anInvoice } from '../fixtures.ts'
import { anApprovedInvoice, pay } from '../payments/approved-invoices.ts'
import { connectTestProcessor } from '../payments/connect-test-processor.ts'
import { sandboxClient } from '../sandbox/sandbox-client.ts'
import { withProfiles } from '../identity/profiles.ts'
import { anApprovedDevice } from '../identity/device-codes.ts'
import { addPasskey } from '../identity/passkeys.ts'
import { turnOnFactor } from '../identity/second-factor.ts'
import type { TestService } from '../test-service.ts'
import { subscribe } from '../webhooks/receiver.ts'

export const password = 'correct horse battery staple'

const advanceClock = async (running: TestService, key: string): Promise<string> => {
  const body = { advance_by: 'P1D' }
  return (await callApi(running, 'POST', '/v1/sandbox/clock', { key, body })).body.now
}

/** The id of a listing for which the demo counterparty makes an offer once the clock moves. */
const aFollowedListing = async (running: TestService, practice: Pair): Promise<string> => {
  const { posted } = loansClient(running)
  const { key } = practice.issuer
  const { id } = await anInvoice(running, practice)
  const moves = { document_id: id, to: 'approved' }
  await posted(key, '/v1/sandbox/demo/transitions', moves)
  const body = { document_id: id, terms: { ...askedTerms, principal: 100 } }
  return (await posted(key, '/v1/finance/listings', body)).id
}

export const fillEverySealedTable = async (running: TestService, receiverUrl: string) => {
  const { database } = running
  const pair = await aPair(running)
  const { issuer, counterparty } = pair
  const live = await aPair(running, 'live')
  const limited = await aKey(running, counterparty, ['documents:write', 'payments:write'], {
    dailyVolume: 10_000_000n,
    allowedCidrs: ['127.0.0.0/8'],
    expiresAt: '2099-01-01T00:00:00.000Z',
  })
  await withProfiles(running, pair)
  const paid = await anApprovedInvoice(running, pair)
  const payment = await pay(running, limited.secret, paid.id)
  assert.equal(payment.body.payment.status, 'settled', payment.text)
  const approved = await anApprovedInvoice(running, pair)
  const asking = await aKeyThatAsks(running, counterparty)
  const asked = await pay(running, asking, approved.id)
  assert.equal(asked.status, 409, asked.text)
  await aRule(running, counterparty.session)
  const issued = await anInvoice(running, pair)
  const draft = await aDraft(running, pair)
  const written: [method: string, path: string, body: object][] = [
    ['POST', `/v1/documents/${draft.id}/comments`, { text: 'Call them first.' }],
    ['POST', '/v1/saved_views', { name: 'Drafts', list: 'documents', query: 'status=draft' }],
    ['PATCH', '/v1/preferences', { theme: 'dark' }],
  ]
  for (const [method, path, body] of written) {
    const reply = await callApi(running, method, path, { key: issuer.session, body })
    assert(reply.status < 300, reply.text)
  }
  const { pathOf, upload } = attachmentsClient(running)
  const attachment = await upload(pathOf(draft), issuer.key)
  assert.equal(attachment.status, 201, attachment.text)
  const endpoint = await subscribe(running, issuer, receiverUrl)
  await setPasswordHash(database, issuer.userId, await hashPassword(password))
  const link = await createSignInLink(database, issuer.userId)
  const { session, userId } = counterparty
  const factor = await turnOnFactor(running, { key: session, userId })
  const { authenticator } = await addPasskey(running, session)
  // Somebody who has no codes.
  await addPasskey(running, live.issuer.session)
  const device = await anApprovedDevice(running, issuer.session)
  const email = `${randomBytes(6).toString('hex')}@example.com`
  await callApi(running, 'POST', '/v1/invitations', {
    key: issuer.session,
    body: { email: `new-${email}`, role: 'viewer' },
  })
  const invitation = await callApi(running, 'POST', '/v1/connections', {
    key: issuer.session,
    body: { email },
  })
  assert.equal(invitation.status, 201, invitation.text)
  const sandbox = await sandboxClient(running).provisionSandbox()
  const practice = { issuer: { key: sandbox.key }, connection: sandbox.connection } as Pair
  const followedListing = await aFollowedListing(running, practice)
  const clocks = []
  for (let advance = 0; advance < 3; advance += 1) {
    clocks.push(await advanceClock(running, sandbox.key))
  }
  const followed = await anInvoice(running, practice)
  await connectTestProcessor(running, live.issuer, 'example')
  await insertPractice(database, {
    organization_id: issuer.uuid,
    demo_organization_id: counterparty.uuid,
    connection_id: pair.connectionUuid,
    live_organization_id: live.issuer.uuid,
    live_counterparty_id: live.counterparty.uuid,
    live_connection_id: live.connectionUuid,
    credentials_location: 'nowhere',
    at: '2026-11-23T00:00:00.000Z',
  })
  const noticedAt = new Date().toISOString()
  await insertNotices(database, [
    {
      id: pair.connectionUuid,
      organization_id: issuer.uuid,
      kind: 'key_expiring',
      subject_id: pair.connectionUuid,
      user_id: issuer.userId,
      email: issuer.email,
      token_sealed: null,
      status: 'waiting',
      reason: null,
      attempts: 0,
      created_at: noticedAt,
      due_at: noticedAt,
      attempted_at: null,
    },
  ])
  const identity = { issuer: 'https://id.example.com', subject: issuer.userId }
  const { version } = (await userForShare(database, issuer.userId))!
  await insertIdentity(database, {
    id: pair.connectionUuid,
    user_id: issuer.userId,
    ...identity,
    email: issuer.email,
    created_at: noticedAt,
    user_version: version,
  })
  await insertPendingFile(database, {
    id: pair.connectionUuid,
    created_at: noticedAt,
    document_id: decodeId('doc', draft.id)!,
  })
  const parties = await loanParties(running)
  const { agreement, offer } = await loansClient(running).accepted(parties)
  const listing = await loansClient(running).listed(parties)
  const [script] = await database.rows(sql`select 1 from demo_scripts limit 1`)
  assert(script, 'a demo script')
  return {
    pair,
    live,
    limited,
    asking,
    paid,
    payment: payment.body.payment,
    approved,
    issued,
    draft,
    attachment: attachment.body,
    endpoint,
    link: link.token,
    identity,
    factor,
    device,
    authenticator,
    invitation: invitation.body,
    loan: { ...parties, agreement, offer, listing },
    sandbox: { ...sandbox, invoice: followed.id, listing: followedListing, clocks },
  }
}

export type EverySealedTable = Awaited<ReturnType<typeof fillEverySealedTable>>
