/** Decision 0115: how notices are sent, when the mail server is away, slow or hostile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi, freshIdempotencyKey, postWhenFree } from '../support/api-client.ts'
import { type TestOrganization, anOrganization } from '../support/fixtures.ts'
import { mailUser } from '../support/notices/mail-server.ts'
import {
  type StoredNotice,
  hurryNotices,
  noticesOf,
  startNoticeService,
} from '../support/notices/notice-service.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const { running, server, mailsOf } = await startNoticeService()
const { database, logLines } = running

const anAddress = () => `${freshIdempotencyKey()}@example.com`

const invite = async (
  { session: key }: TestOrganization,
  email: string,
  on = running,
): Promise<void> => {
  const reply = await postWhenFree(on, '/v1/connections', { key, body: { email } })
  assert.equal(reply.status, 201, reply.text)
}

const invitationsOf = (organization: TestOrganization) =>
  noticesOf(running, organization, 'connection_invitation')

const isTried = async (organization: TestOrganization, attempts = 1): Promise<void> => {
  await until('the server was tried', async () => {
    const stored = await invitationsOf(organization)
    return stored.length > 0 && stored.every((one) => one.attempts >= attempts && !one.is_claimed)
  })
}

test('what a server that is away has not taken is sent once, when it is back', async () => {
  const organization = await anOrganization(running)
  const email = anAddress()
  await server.stop()
  await invite(organization, email)
  await isTried(organization)
  assert(logLines.some((line) => line.includes('notice_not_sent')))
  await server.start()
  await hurryNotices(running)
  const mails = await mailsOf(organization, 'connection_invitation')
  assert.deepEqual(
    mails.map(({ to }) => to),
    [[email]],
  )
})

test('an invitation waits in vain for the server once its inviter may not give its role', async () => {
  const { session: key, ...organization } = await anOrganization(running)
  const inviteMember = async (session: string, role: string) => {
    const body = { email: anAddress(), role }
    return (await callApi(running, 'POST', '/v1/invitations', { key: session, body })).body
  }
  const { token } = await inviteMember(key, 'admin')
  const admin = { token, name: 'Mallory', password: 'correct horse battery staple' }
  const joined = await callApi(running, 'POST', '/auth/invitations/accept', { body: admin })
  await mailsOf(organization, 'member_invitation')
  await server.stop()
  const { email } = await inviteMember(joined.body.token, 'admin')
  await callApi(running, 'DELETE', `/v1/members/${joined.body.user.id}`, { key })
  await server.start()
  await hurryNotices(running)
  await mailsOf(organization, 'member_invitation', 2)
  const notices = await noticesOf(running, organization, 'member_invitation')
  const notice = notices.find((one) => one.email === email)!
  assert.deepEqual([notice.status, notice.reason], ['skipped', 'no longer so'])
})

test('a mail is taken up to eight times, with the same Message-ID, and then given up', async () => {
  const organization = await anOrganization(running)
  await invite(organization, anAddress())
  server.answer = (command) => (command === '.' ? '451 later' : undefined)
  const attempts = limits.noticeRetryMinutes.length + 1
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    await isTried(organization, attempt)
    await hurryNotices(running)
  }
  const mails = await mailsOf(organization, 'connection_invitation')
  server.answer = () => undefined
  const [stored] = await invitationsOf(organization)
  assert.deepEqual(
    [stored!.status, stored!.attempts, stored!.reason],
    ['failed', attempts, 'EMESSAGE 451'],
  )
  assert.equal(mails.length, attempts)
  assert.equal(new Set(mails.map(({ headers }) => headers.get('message-id')![0])).size, 1)
})

test('a recipient that the server refuses for good is tried once, and keeps nobody waiting', async () => {
  const organization = await anOrganization(running)
  const [unknown, known] = [anAddress(), anAddress()]
  server.answer = (command) =>
    command.startsWith('RCPT') && command.includes(unknown) ? '550 no such user' : undefined
  await invite(organization, unknown)
  await invite(organization, known)
  const mails = await mailsOf(organization, 'connection_invitation', 2)
  server.answer = () => undefined
  assert.deepEqual(
    mails.map(({ to }) => to),
    [[known]],
  )
  const refused = (await invitationsOf(organization)).find(({ email }) => email === unknown)
  assert.deepEqual([refused!.status, refused!.attempts], ['failed', 1])
})

test('a mail that the server takes after nobody waits any more is sent once', async () => {
  const organization = await anOrganization(running)
  const email = anAddress()
  const { promise, resolve: hasLooked } = Promise.withResolvers<void>()
  server.looksAtMail = promise
  await invite(organization, email)
  await isTried(organization)
  const [tried] = await invitationsOf(organization)
  assert.deepEqual([tried!.status, tried!.reason], ['waiting', 'timeout'])
  hasLooked()
  await mailsOf(organization, 'connection_invitation')
  const [{ status, attempts }] = (await invitationsOf(organization)) as [StoredNotice]
  assert.deepEqual([status, attempts], ['sent', 1])
  assert.equal(server.mails.filter(({ to }) => to.includes(email)).length, 1)
})

test('two processes send each mail once', async () => {
  const other = await running.startAnother()
  const organization = await anOrganization(running)
  for (let i = 0; i < 15; i += 1) await invite(organization, anAddress(), i % 2 ? running : other)
  const mails = await mailsOf(organization, 'connection_invitation', 15)
  assert.equal(new Set(mails.map(({ to }) => to[0])).size, 15)
  assert.equal(mails.length, 15)
})

test('a sandbox sends 20 mails in an hour; the others wait', async () => {
  const organization = await anOrganization(running)
  const { test: max } = limits.noticesPerHourMax
  for (let i = 0; i < max + 3; i += 1) await invite(organization, anAddress())
  const sent = async () =>
    (await invitationsOf(organization)).filter(({ status }) => status === 'sent').length
  await until('as many are sent as the hour admits', async () => (await sent()) === max)
  await hurryNotices(running)
  await until('the others were put off again', async () => {
    const [row] = await database.rows(sql`
      select 1 from notices where organization_id = ${organization.uuid} and due_at <= now()`)
    return row === undefined
  })
  assert.equal(await sent(), max)
})

test('a recipient gets 10 invitations in an hour, whoever sends them', async () => {
  const email = anAddress()
  const max = limits.invitationsPerRecipientPerHourMax
  await Promise.all(
    Array.from({ length: max + 2 }, async () => invite(await anOrganization(running), email)),
  )
  const counts = async () => {
    const rows = await database.rows<{ status: string; attempts: number }>(sql`
      select status, attempts from notices where email = ${email}`)
    const sent = rows.filter(({ status }) => status === 'sent').length
    return [rows.length, sent, rows.filter(({ attempts }) => attempts > 0).length]
  }
  await until('as many are sent as the hour admits', async () => (await counts())[1] === max)
  assert.deepEqual(await counts(), [max + 2, max, max])
})

test('an organization has 1,000 mails that wait at most; an invitation beyond them is made', async () => {
  const organization = await anOrganization(running)
  const waiting = await running.startAnother({ PROCESS_ROLE: 'api' })
  await database.run(sql`
    insert into notices (id, organization_id, kind, subject_id, email, status, attempts, created_at,
      due_at, seal)
    select gen_random_uuid(), ${organization.uuid}::uuid, 'connection_invitation',
      gen_random_uuid(), 'a@example.com', 'waiting', 0, now(), now() + interval '1 day', ''
    from generate_series(1, ${limits.noticesWaitingMax})`)
  const email = anAddress()
  await invite(organization, email, waiting)
  assert.deepEqual(await database.rows(sql`select 1 from notices where email = ${email}`), [])
  await database.run(sql`delete from notices where organization_id = ${organization.uuid}`)
})

test('no request waits for the mail server', async () => {
  const organization = await anOrganization(running)
  let isAsked = false
  // It never answers to EHLO.
  server.answer = () => {
    isAsked = true
    return null
  }
  await invite(organization, anAddress())
  await until('the server is asked', () => isAsked)
  await invite(organization, anAddress())
  const { key } = organization
  assert.equal((await callApi(running, 'GET', '/v1/me', { key })).status, 200)
  assert.deepEqual(
    (await invitationsOf(organization)).map(({ status }) => status),
    ['waiting', 'waiting'],
  )
  server.answer = () => undefined
  await server.stop()
  await server.start()
})

test('line breaks and markup in the text of others make neither headers nor HTML', async () => {
  const name = 'Acme <img src=x onerror=alert(1)> & "Sons"'
  const organization = await anOrganization(running, { name })
  const email = anAddress()
  await invite(organization, email)
  await hurryNotices(running)
  const [mail] = await mailsOf(organization, 'connection_invitation')
  assert(mail!.text.includes(name), mail!.text)
  assert(!mail!.html.includes('<img'), mail!.html)
  assert(mail!.html.includes('Acme &lt;img src=x onerror=alert(1)&gt; &amp; &quot;Sons&quot;'))
  assert.equal(mail!.subject, `[Sandbox] ${name} invites you to exchange documents`)
})

test('an address that names two recipients, or a command, gets nothing', async () => {
  const organization = await anOrganization(running)
  const hostile = ['one@example.com,two', 'a<b@example.com>;c', '"x y"'].map(
    (local) => `${local.replaceAll(/[\s@]/g, '')}@example.com`,
  )
  for (const email of hostile) await invite(organization, email)
  const mails = await mailsOf(organization, 'connection_invitation', hostile.length)
  assert.deepEqual(mails, [])
  const reasons = (await invitationsOf(organization)).map(({ reason }) => reason)
  assert.deepEqual(new Set(reasons), new Set(['not an address']))
})

test('neither the password nor what the server answers is ever logged or stored', async () => {
  const organization = await anOrganization(running)
  const { name, password } = mailUser
  const plain = Buffer.from(`\0${name}\0${password}`).toString('base64')
  // A server that repeats what it does not understand.
  server.answer = (command) => (command.startsWith('AUTH') ? `535 what is ${command}?` : undefined)
  await invite(organization, anAddress())
  await isTried(organization)
  server.answer = () => undefined
  assert(server.commands.includes(`AUTH PLAIN ${plain}`), 'the service has signed in')
  const [stored] = await invitationsOf(organization)
  assert.equal(stored!.reason, 'EAUTH 535')
  const secrets = [password, encodeURIComponent(password), plain]
  for (const line of logLines) {
    for (const secret of secrets) assert(!line.includes(secret), line)
  }
})

test('a row that was changed in the database sends nothing', async () => {
  const organization = await anOrganization(running)
  await server.stop()
  await invite(organization, anAddress())
  await isTried(organization)
  const thief = anAddress()
  await database.run(sql`
    update notices set email = ${thief}, due_at = now() where organization_id = ${organization.uuid}`)
  await server.start()
  await until('the alarm is raised', () =>
    logLines.some((line) => line.includes('integrity_failure') && line.includes('notices')),
  )
  await until('the row is gone', async () => (await invitationsOf(organization)).length === 0)
  assert(!server.mails.some(({ to }) => to.includes(thief)))
})

test('without SMTP_URL nothing is sent, and nothing is kept to be sent', async () => {
  const silent = await startTestService()
  const organization = await anOrganization(silent)
  await invite(organization, anAddress(), silent)
  const body = { email: anAddress(), role: 'viewer' }
  const invited = await callApi(silent, 'POST', '/v1/invitations', {
    key: organization.session,
    body,
  })
  assert.equal(invited.status, 201)
  assert.equal(silent.service.context.mailer, undefined)
  assert.deepEqual(await silent.database.rows(sql`select 1 from notices`), [])
})
