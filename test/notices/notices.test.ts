/** Contract 11 and 12, decision 0115: who gets which notice by e-mail, and what it says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aKeyThatAsks, aMember, aRule } from '../support/approvals/keys-that-ask.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { aKey, aPair, anOrganization } from '../support/fixtures.ts'
import { aKeyThatExpires } from '../support/notices/expiring-keys.ts'
import {
  everyRole,
  hurryNotices,
  membersInRoles,
  noticesOf,
  startNoticeService,
} from '../support/notices/notice-service.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { adminClient } from '../support/processes/admin-client.ts'
import { serverKey } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { subscribe } from '../support/webhooks/receiver.ts'

const { running, server, mailsOf, toldOf } = await startNoticeService({
  WEBHOOK_ALLOW_PRIVATE: '1',
})
const { database } = running

test('an approval that is wanted is told to those who may give it, and not to who asks', async () => {
  const pair = await aPair(running)
  const payer = pair.counterparty
  const members = await membersInRoles(running, payer, everyRole)
  const invoice = await anApprovedInvoice(running, pair)
  const asking = await aKeyThatAsks(running, payer)
  const { status, body } = await pay(running, asking, invoice.id)
  assert.equal(status, 409)
  const told = await toldOf(payer, 'approval_wanted')
  assert.deepEqual(told, [members.admin, members.approver, payer.email].toSorted())
  const [mail] = await mailsOf(payer, 'approval_wanted')
  const { id, summary } = body.error.details.approval
  assert.equal(mail!.subject, `[Sandbox] Approval wanted: ${summary}`)
  assert.match(mail!.text, new RegExp(`/app/o/${payer.id}/approvals\\?approval=${id}`))
  assert.match(mail!.text, /until \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  assert.deepEqual(await noticesOf(running, pair.issuer, 'approval_wanted'), [])
})

test('whom a rule names is told, however many members came later', async () => {
  const pair = await aPair(running)
  const payer = pair.counterparty
  const user_ids = [encodeId('usr', payer.userId)]
  const body = { name: 'The owner', when: { operation: 'documents.pay' }, user_ids }
  const { session: key } = payer
  const rule = await callApi(running, 'POST', '/v1/approval_rules', { key, body })
  assert.equal(rule.status, 201, rule.text)
  const asker = await aMember(running, payer, 'admin')
  for (let i = 0; i < limits.noticeRecipientsMax; i += 1) await aMember(running, payer, 'approver')
  const invoice = await anApprovedInvoice(running, pair)
  assert.equal((await pay(running, asker.session, invoice.id)).status, 409)
  assert.deepEqual(await toldOf(payer, 'approval_wanted'), [payer.email])
})

test('a person who asks for an approval is not told of it', async () => {
  const pair = await aPair(running)
  const payer = pair.counterparty
  await aRule(running, payer.session)
  const asker = await aMember(running, payer, 'admin')
  const other = await membersInRoles(running, payer, ['approver'])
  const invoice = await anApprovedInvoice(running, pair)
  assert.equal((await pay(running, asker.session, invoice.id)).status, 409)
  const expected = [other.approver, payer.email].toSorted()
  assert.deepEqual(await toldOf(payer, 'approval_wanted'), expected)
})

test('a failed payment is told to those who pay, on both sides, and why only to the payer', async () => {
  const pair = await aPair(running)
  const { issuer: payee, counterparty: payer } = pair
  const [paying, paid] = [
    await membersInRoles(running, payer, everyRole),
    await membersInRoles(running, payee, ['finance', 'developer']),
  ]
  const invoice = await anApprovedInvoice(running, pair)
  const body = { source_account_id: 'acct_test_insufficient_funds' }
  await pay(running, payer.key, invoice.id, { body })
  assert.deepEqual(
    await toldOf(payer, 'payment_failed'),
    [paying.admin, paying.finance, paying.member, payer.email].toSorted(),
  )
  assert.deepEqual(await toldOf(payee, 'payment_failed'), [paid.finance, payee.email].toSorted())
  const { data } = (await callApi(running, 'GET', '/v1/payments', { key: payer.key })).body
  const reason: string = data[0].failure.message
  const [toPayer] = await mailsOf(payer, 'payment_failed')
  const [toPayee] = await mailsOf(payee, 'payment_failed')
  const failed = '[Sandbox] Payment failed: 1,080.00 USD'
  assert.equal(toPayer!.subject, `${failed} to ${payee.name} for Bill ${invoice.number}`)
  assert.match(toPayer!.text, /can be paid again/)
  assert(toPayer!.text.includes(`Bill ${invoice.number}`), toPayer!.text)
  assert(toPayer!.text.includes(reason), toPayer!.text)
  assert(toPayee!.subject!.startsWith(`${failed} from ${payer.name} for Invoice INV-`))
  assert.match(toPayee!.text, /for Invoice INV-\d+/)
  assert(!toPayee!.text.includes(reason) && !toPayee!.text.includes(invoice.number))
})

test('a key is told of seven days before it expires, unless it was made for so few days', async () => {
  const organization = await anOrganization(running)
  const members = await membersInRoles(running, organization, ['developer', 'finance'])
  const expiresAt = new Date(Date.now() + 6 * 86_400_000).toISOString()
  const short = await aKey(running, organization, ['documents:read'], { expiresAt })
  const { keyId } = await aKey(running, organization, ['documents:read'], { expiresAt })
  const uuid = decodeId('key', keyId)!
  await runAndSeal(
    database,
    'keys',
    sql`update keys set created_at = now() - interval '30 days' where id = ${uuid}`,
  )
  const expected = [members.developer, organization.email].toSorted()
  assert.deepEqual(await toldOf(organization, 'key_expiring'), expected)
  const { body } = await callApi(running, 'GET', `/v1/keys/${keyId}`, { key: organization.session })
  const mails = await mailsOf(organization, 'key_expiring')
  for (const { to, text } of mails) {
    assert.equal(text.includes(body.prefix), to[0] === organization.email, 'only admins see keys')
    assert(text.includes(`${expiresAt.slice(0, 10)} ${expiresAt.slice(11, 16)} UTC`), text)
  }
  const other = decodeId('key', short.keyId)!
  assert.deepEqual(await database.rows(sql`select 1 from notices where subject_id = ${other}`), [])
})

const setFailures = (id: string, failures: number) =>
  database.run(sql`
    update webhook_endpoints set consecutive_failures = ${failures}
    where id = ${decodeId('whk', id)!}`)

const anAddress = () => `${freshIdempotencyKey()}@example.com`

test('an invitation by e-mail to connect is told to the address that was invited', async () => {
  const organization = await anOrganization(running)
  const email = anAddress()
  const invite = (headers: Record<string, string> = {}) =>
    callApi(running, 'POST', '/v1/connections', {
      key: organization.session,
      body: { email: email.toUpperCase() },
      headers,
    })
  await invite({ 'svc-dry-run': 'true' })
  assert.equal((await invite()).status, 201)
  const [mail, ...others] = await mailsOf(organization, 'connection_invitation')
  assert.deepEqual([mail!.to, others], [[email], []])
  assert.equal(mail!.subject, `[Sandbox] ${organization.name} invites you to exchange documents`)
  assert.equal(mail!.headers.get('auto-submitted')?.[0], 'auto-generated')
})

test('an invited member gets the token by e-mail, accepts with it, and it is not kept', async () => {
  const organization = await anOrganization(running)
  const email = anAddress()
  const body = { email, role: 'finance' }
  const invited = await callApi(running, 'POST', '/v1/invitations', {
    key: organization.session,
    body,
  })
  const [mail] = await mailsOf(organization, 'member_invitation')
  const [, token] = /\/app\/invitation#t=(mi_[\w-]+)/.exec(mail!.text) ?? []
  assert.equal(token, invited.body.token)
  assert.match(mail!.html, new RegExp(`href="[^"]*#t=${token}"`))
  const [stored] = await noticesOf(running, organization, 'member_invitation')
  assert.deepEqual([stored!.status, stored!.has_token], ['sent', false])
  const accepted = await callApi(running, 'POST', '/auth/invitations/accept', {
    body: { token, name: 'Grace', password: 'correct horse battery staple' },
  })
  assert.equal(accepted.status, 201, accepted.text)
})

test('each mail has a sender, one recipient, a plain text and its HTML', () => {
  assert(server.mails.length > 10)
  for (const { from, to, headers, text, html } of server.mails) {
    assert.deepEqual([from, to.length], ['notices@docex.example', 1])
    assert.deepEqual(headers.get('to'), to)
    assert.deepEqual(headers.get('from'), ['Document Exchange <notices@docex.example>'])
    assert.equal(headers.get('list-unsubscribe'), undefined, 'RFC 8058 wants HTTPS')
    assert.match(headers.get('message-id')![0]!, /^<notice-[\da-f-]{36}@docex\.example>$/)
    assert(text.length > 100 && html.startsWith('<!doctype html>'), text)
  }
})

test('a notice that a person does not want is not sent, and one of another kind is', async () => {
  const organization = await anOrganization(running)
  const { session } = organization
  const wants = (key_expiring: boolean) =>
    callApi(running, 'PATCH', '/v1/preferences', {
      key: session,
      body: { notices: { key_expiring } },
    })
  const { body } = await wants(false)
  const on = { approval_wanted: true, payment_failed: true, endpoint_failing: true }
  assert.deepEqual(body.notices, { ...on, key_expiring: false })
  await aKeyThatExpires(running, organization)
  assert.deepEqual(await toldOf(organization, 'key_expiring'), [])
  const [stored] = await noticesOf(running, organization, 'key_expiring')
  assert.deepEqual([stored!.status, stored!.reason], ['skipped', 'not wanted'])
  assert.equal((await wants(true)).status, 200)
  const path = `/v1/keys/${await aKeyThatExpires(running, organization)}`
  const [mail, ...others] = await mailsOf(organization, 'key_expiring', 2)
  assert.deepEqual([mail!.to, others], [[organization.email], []])
  const { prefix } = (await callApi(running, 'GET', path, { key: session })).body
  assert(mail!.text.includes(prefix), mail!.text)
  assert.doesNotMatch(mail!.text, /<\w/, 'the plain part has no markup')
  const endpoint = await subscribe(running, organization, 'http://127.0.0.1:9/')
  await setFailures(endpoint.id, 10)
  assert.deepEqual(await toldOf(organization, 'endpoint_failing'), [organization.email])
})

test('whoever is no member any more when a notice is due does not get it', async () => {
  const organization = await anOrganization(running)
  const { userId, id } = await aMember(running, organization, 'admin')
  const endpoint = await subscribe(running, organization, 'http://127.0.0.1:9/')
  await server.stop()
  await setFailures(endpoint.id, 10)
  await until('both are to be told', async () => {
    return (await noticesOf(running, organization, 'endpoint_failing')).length === 2
  })
  const removed = await callApi(running, 'DELETE', `/v1/members/${id}`, {
    key: organization.session,
  })
  assert.equal(removed.status, 200, removed.text)
  await server.start()
  await hurryNotices(running)
  assert.deepEqual(await toldOf(organization, 'endpoint_failing'), [organization.email])
  const rows = await database.rows<{ reason: string }>(sql`
    select reason from notices where user_id = ${userId}`)
  assert.deepEqual(rows, [{ reason: 'not for this person' }])
})

test('an operator mails a sign-in link, which is not printed and works once', async () => {
  const organization = await anOrganization(running)
  const { admin, expectRefused } = adminClient(running)
  const { email } = organization
  await expectRefused(['link', email, '--mail'], /--mail needs SMTP_URL/)
  const env = { DATABASE_URL: running.databaseUrl, SERVER_KEY: serverKey, ...server.settings }
  const { exitCode, stdout, stderr } = await admin(['link', email, '--mail'], { env })
  assert.equal(exitCode, 0, stderr)
  assert.doesNotMatch(stdout, /sl_/)
  const [mail] = await mailsOf(organization, 'sign_in_link')
  assert.deepEqual(mail!.to, [email])
  const [, link] = /\/app\/link#t=(sl_[\w-]+)/.exec(mail!.text) ?? []
  const signIn = () => callApi(running, 'POST', '/auth/sessions', { body: { link } })
  assert.deepEqual([(await signIn()).status, (await signIn()).status], [201, 401])
})
