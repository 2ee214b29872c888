/** Console 2.5: sign-in links that people ask for. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { requestLink } from '../../../src/changes/identity/link-requests.ts'
import { hashPassword } from '../../../src/changes/identity/passwords.ts'
import { createSignInLink } from '../../../src/changes/identity/sign-in-links.ts'
import { limits } from '../../../src/contract/limits.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { type Queryable, sql } from '../../../src/database/sql.ts'
import { setPasswordHash } from '../../../src/store/identity/users.ts'
import { inRolledBackTransaction, inTransaction } from '../../../src/database/transactions.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import {
  allAnswered,
  cookieOf,
  forgetRequests,
  linksClient,
  tokenOf,
} from '../../support/identity/link-requests.ts'
import { codeOf, turnOnFactor } from '../../support/identity/second-factor.ts'
import { hurryNotices, startNoticeService } from '../../support/notices/notice-service.ts'
import { until } from '../../support/until.ts'

const service = await startNoticeService({ TRUSTED_PROXIES: '127.0.0.1' })
const { running, server } = service
const { database } = running
const { ask, redeem, mailsTo, linkFor } = linksClient(service)

const aUser = async () => {
  const { email, userId, id, session: key } = await anOrganization(running)
  return { email, userId, organization: id, key }
}

const nobody = 'nobody@example.com'

beforeEach(() => forgetRequests(running))

describe('console 2.5: asking for a link', () => {
  test('a user gets a mail; the link signs in once, in the browser that asked', async () => {
    const { email, organization } = await aUser()
    const asked = await ask(email.toUpperCase())
    assert.deepEqual([asked.status, asked.body], [202, { delivery: 'smtp', expires_in: 900 }])
    const [mail] = await mailsTo(email)
    assert.match(mail!.text, /With this link you sign in once, without a password\./)
    const token = tokenOf(mail!)
    const cookie = cookieOf(asked)
    assertRefused(await redeem(token), 'unauthorized')
    assertRefused(await redeem(token, `svc_link=${'A'.repeat(32)}`), 'unauthorized')
    const signedIn = await redeem(token, cookie, { client: 'browser' })
    assert.equal(signedIn.status, 201, signedIn.text)
    assert.equal(signedIn.body.organization.id, organization)
    assert.match(signedIn.headers.get('set-cookie')!, /^svc_refresh=rf_/)
    assertRefused(await redeem(token, cookie), 'unauthorized')
  })

  test('the cookie is sent to /auth alone, and no script can read it', async () => {
    const asked = await ask(nobody)
    assert.match(
      asked.headers.get('set-cookie')!,
      /^svc_link=[\w-]{32}; Max-Age=900; Path=\/auth; HttpOnly; SameSite=Strict$/,
    )
  })

  test('POST /auth/sessions does not take it: the half in the mail signs nobody in', async () => {
    const { email } = await aUser()
    const { token: link, cookie } = await linkFor(email)
    const reply = await callApi(running, 'POST', '/auth/sessions', {
      body: { link },
      headers: { cookie },
    })
    assertRefused(reply, 'unauthorized')
    assert.equal((await redeem(link, cookie)).status, 201)
  })

  test('whether there is such a user, neither the answer nor what is done before it tells', async () => {
    // Nothing answers requests in a process that is only an API.
    const api = await running.startAnother({ PROCESS_ROLE: 'api' })
    const { email } = await aUser()
    const known = await callApi(api, 'POST', '/auth/links', { body: { email } })
    const unknown = await callApi(api, 'POST', '/auth/links', { body: { email: nobody } })
    const shown = [known, unknown].map(({ status, text, headers }) => {
      const names = [...headers.keys()].filter((name) => name !== 'date')
      return { status, text, names, cookie: headers.get('set-cookie')!.replace(/=[\w-]{32}/, '') }
    })
    assert.deepEqual(shown[0], shown[1])
    await allAnswered(running)
    await mailsTo(email)
    assert(!server.mails.some(({ to }) => to.includes(nobody)))
    assert.deepEqual(await database.rows(sql`select 1 from notices where email = ${nobody}`), [])
  })

  test('somebody without an organization, or with a suspended one alone, gets nothing', async () => {
    const user = await aUser()
    await runAndSeal(
      database,
      'organizations',
      sql`update organizations set suspended_at = now() where id in
        (select organization_id from memberships where user_id = ${user.userId})`,
    )
    await ask(user.email)
    await allAnswered(running)
    const links = await database.rows(sql`
      select 1 from sign_in_links where user_id = ${user.userId}`)
    assert.deepEqual(links, [])
  })

  test('a browser that asks twice can use either link', async () => {
    const { email } = await aUser()
    const first = await linkFor(email)
    const again = await ask(email, { cookie: first.cookie })
    assert.equal(cookieOf(again), first.cookie)
    const [, second] = await mailsTo(email, 2)
    const token = tokenOf(second!)
    assert.equal((await redeem(token, first.cookie)).status, 201)
    assert.equal((await redeem(first.token, first.cookie)).status, 201)
  })

  test('4.2 a dry run asks for nothing, and sets no cookie', async () => {
    const { email } = await aUser()
    const tried = await ask(email, { 'svc-dry-run': 'true' })
    assert.deepEqual([tried.status, tried.headers.get('set-cookie')], [200, null])
    assert.deepEqual(await database.rows(sql`select 1 from link_requests`), [])
  })
})

describe('console 2.5: how long a link works', () => {
  const age = (userId: string, minutes: number) =>
    changeSealedRows(database, 'sign_in_links', sql`t.user_id = ${userId}`, ({ expires_at }) => ({
      expires_at: new Date(Date.parse(expires_at) - minutes * 60_000).toISOString(),
    }))

  test('a quarter of an hour', async () => {
    const { email, userId } = await aUser()
    const { token, cookie } = await linkFor(email)
    await age(userId, 14)
    const other = await linkFor(email)
    await age(userId, 1)
    assertRefused(await redeem(token, cookie), 'unauthorized')
    assert.equal((await redeem(other.token, other.cookie)).status, 201)
  })

  test('a mail that the server takes too late is not sent', async () => {
    const { email, userId } = await aUser()
    server.answer = (command) => (command === '.' ? '451 later' : undefined)
    await ask(email)
    const noticeOf = async () =>
      (
        await database.rows<{ status: string; attempts: number; reason: string | null }>(sql`
          select status, attempts, reason from notices where email = ${email}`)
      )[0]
    await until('it was tried', async () => ((await noticeOf())?.attempts ?? 0) > 0)
    await age(userId, 15)
    await hurryNotices(running)
    await until('it is given up', async () => (await noticeOf())!.status === 'skipped')
    server.answer = () => undefined
    assert.equal((await noticeOf())!.reason, 'no longer so')
  })

  test('a new password ends it', async () => {
    const { email, userId } = await aUser()
    const { token, cookie } = await linkFor(email)
    const hash = await hashPassword('another long password')
    await inTransaction(database, (tx) => setPasswordHash(tx, userId, hash))
    assertRefused(await redeem(token, cookie), 'unauthorized')
  })
})

test('decision 0117: the second factor is asked for, and the link is used up by that', async () => {
  const { email, userId, key } = await aUser()
  const { secret } = await turnOnFactor(running, { key, userId })
  const { token, cookie } = await linkFor(email)
  const asked = await redeem(token, cookie)
  const { mfa_token } = assertRefused(asked, 'unauthorized', 'mfa_required') as {
    mfa_token: string
  }
  assert.equal((await redeem(token, cookie)).body.error.details, undefined)
  const body = { mfa_token, totp: await codeOf(database, secret) }
  assert.equal((await callApi(running, 'POST', '/auth/sessions', { body })).status, 201)
})

test('an operator’s link works in every browser, here as at POST /auth/sessions', async () => {
  const { userId } = await aUser()
  const { token } = await createSignInLink(database, userId)
  assert.equal((await redeem(token)).status, 201)
  assertRefused(await redeem(token), 'unauthorized')
})

describe('console 2.5: bounds', () => {
  const linksMadeFor = async (email: string): Promise<number> => {
    await allAnswered(running)
    const links = await database.rows(sql`
      select 1 from notices where email = ${email} and kind = 'sign_in_link'`)
    return links.length
  }

  test('an address is sent five links in an hour, and the answer stays the same', async () => {
    const { email } = await aUser()
    const replies = []
    for (let i = 0; i < limits.linkRequestsPerEmailMax + 2; i += 1) replies.push(await ask(email))
    assert(replies.every(({ status }) => status === 202))
    assert.equal(await linksMadeFor(email), limits.linkRequestsPerEmailMax)
  })

  test('strangers elsewhere use up no link where the person has signed in', async () => {
    const { email } = await aUser()
    const { token, cookie } = await linkFor(email)
    assert.equal((await redeem(token, cookie)).status, 201)
    const elsewhere = { 'x-forwarded-for': '198.51.100.7' }
    for (let i = 0; i < limits.linkRequestsPerEmailMax; i += 1) await ask(email, elsewhere)
    const before = await linksMadeFor(email)
    await ask(email, { 'x-forwarded-for': '203.0.113.9' })
    assert.equal(await linksMadeFor(email), before)
    await ask(email)
    assert.equal(await linksMadeFor(email), before + 1)
  })

  test('a link waits for no limit of other mails, and uses none of them up', async () => {
    const user = await aUser()
    const organization = decodeId('org', user.organization)!
    const { noticesPerRecipientPerHourMax: most, noticesWaitingMax: full } = limits
    const mails = (kind: string, email: string) => sql`
      insert into notices (id, organization_id, kind, subject_id, email, status, attempts,
        created_at, attempted_at, seal)
      select gen_random_uuid(), ${organization}::uuid, ${kind}, gen_random_uuid(), ${email},
        'sent', 1, now(), now(), '' from generate_series(1, ${most})`
    await runAndSeal(database, 'notices', mails('sign_in_link', user.email))
    const told = `${freshIdempotencyKey()}@example.com`
    const invited = { key: user.key, body: { email: told } }
    assert.equal((await callApi(running, 'POST', '/v1/connections', invited)).status, 201)
    await mailsTo(told)
    await runAndSeal(database, 'notices', mails('connection_invitation', user.email))
    await database.run(sql`
      insert into notices (id, organization_id, kind, subject_id, email, status, attempts,
        created_at, due_at, seal)
      select gen_random_uuid(), ${organization}::uuid, 'connection_invitation', gen_random_uuid(),
        'a@example.com', 'waiting', 0, now(), now() + interval '1 day', ''
      from generate_series(1, ${full})`)
    await linkFor(user.email)
    await database.run(sql`delete from notices where organization_id = ${organization}`)
  })

  test('a network asks 20 times in an hour, in all processes together', async () => {
    const other = await running.startAnother()
    for (let i = 0; i < limits.linkRequestsPerNetworkMax; i += 1) {
      const at = i % 2 === 0 ? running : other
      const body = { email: `${i}@example.com` }
      assert.equal((await callApi(at, 'POST', '/auth/links', { body })).status, 202)
    }
    const { details } = (await ask(nobody)).body.error
    assert.deepEqual([details.policy, details.limit], ['sign_in_links', 20])
  })

  test('a thousand requests wait for an answer, of any networks, and no more', async () => {
    const request = (tx: Queryable) =>
      requestLink(tx, { email: nobody, address: '203.0.113.9', kept: undefined })
    const fill = async (tx: Queryable) => {
      await tx.run(sql`
        insert into link_requests (id, email, network, browser_hash, created_at)
        select gen_random_uuid(), '', n::text, '', now()
        from generate_series(2, ${limits.linkRequestsWaitingMax}) n`)
      await request(tx)
      await assert.rejects(request(tx), { code: 'rate_limited' })
    }
    await inRolledBackTransaction(database, fill)
  })
})

test('neither half of a link is in the database or in the log', async () => {
  const { email } = await aUser()
  const { token, cookie } = await linkFor(email)
  await redeem(token, cookie)
  const [rows] = await database.rows<{ all: string }>(sql`
    select (select string_agg(r::text, ' ') from link_requests r)
        || (select string_agg(l::text, ' ') from sign_in_links l)
        || (select string_agg(n::text, ' ') from notices n) as all`)
  for (const secret of [token, cookie.split('=')[1]!]) {
    assert(!rows!.all.includes(secret))
    assert(!running.logLines.join('').includes(secret))
  }
})
