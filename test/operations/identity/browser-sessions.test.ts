/** Signed-in browsers, and the list of a user's sessions, over HTTP (contract 3). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import { assertNoticed, copyRows, idIs } from '../../support/database/old-rows.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { browserClient, cookieOf } from '../../support/identity/browser-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database, baseUrl } = running
const { password, aPerson, signIn, refresh, statusOf } = await browserClient(running)

describe('contract 3: a browser signs in', () => {
  test('its token lasts 15 minutes, and an HttpOnly cookie for /auth alone gets the next one', async () => {
    const { email } = await aPerson()
    const opened = await signIn(email)
    assert.equal(opened.status, 201, opened.text)
    const minutes = (Date.parse(opened.body.expires_at) - Date.now()) / 60_000
    assert.equal(Math.ceil(minutes), 15)
    const attributes = opened.headers.get('set-cookie')!.split('; ').slice(1)
    assert.deepEqual(attributes, ['Max-Age=604800', 'Path=/auth', 'HttpOnly', 'SameSite=Strict'])
    assert(!opened.text.includes(cookieOf(opened).split('=')[1]!))
    const next = await refresh(cookieOf(opened))
    assert.equal(next.status, 200, next.text)
    assert.equal(next.body.id, opened.body.id)
    assert.notEqual(next.body.token, opened.body.token)
    assert.notEqual(cookieOf(next), cookieOf(opened))
    const statuses = [await statusOf(opened.body.token), await statusOf(next.body.token)]
    assert.deepEqual(statuses, [200, 200], 'each tab has a token of its own')
  })

  test('over https the cookie is __Secure- and Secure', async () => {
    const other = await running.startAnother({ BASE_URL: 'https://app.example.com' })
    const { email } = await aPerson()
    const body = { email, password, client: 'browser' }
    const opened = await callApi(other, 'POST', '/auth/sessions', { body })
    assert.match(opened.headers.get('set-cookie')!, /^__Secure-svc_refresh=rf_.*; Secure$/)
    const headers = { cookie: cookieOf(opened), origin: baseUrl }
    const foreign = await callApi(other, 'POST', '/auth/sessions/refresh', { body: {}, headers })
    assert.equal(foreign.status, 403)
    const own = { ...headers, origin: 'https://app.example.com' }
    const next = await callApi(other, 'POST', '/auth/sessions/refresh', { body: {}, headers: own })
    assert.equal(next.status, 200)
  })

  test('a cookie that is sent again after its successor ends the sign-in with all of its tokens', async () => {
    const { email } = await aPerson()
    const opened = await signIn(email)
    const next = await refresh(cookieOf(opened))
    const last = await refresh(cookieOf(next))
    const again = await refresh(cookieOf(opened))
    assert.equal(again.status, 401)
    for (const { body } of [opened, next, last]) assert.equal(await statusOf(body.token), 401)
    const ended = await refresh(cookieOf(last))
    const textOf = ({ text }: Reply) => text.replace(/req_\w+/, 'REQ')
    assert.deepEqual([ended.status, textOf(ended)], [401, textOf(again)])
    assert(running.logLines.some((line) => line.includes('browser_cookie_used_twice')))
  })

  for (const kept of [0, 1, 2])
    test(`decision 0127: of three responses, two lost in reloads, cookie ${kept} goes on`, async () => {
      const cookie = cookieOf(await signIn((await aPerson()).email))
      const cookies = [await refresh(cookie), await refresh(cookie), await refresh(cookie)].map(
        cookieOf,
      )
      assert.equal(new Set(cookies).size, 3, 'two holders of a cookie never get the same one')
      const next = await refresh(cookies[kept]!)
      assert.equal((await refresh(cookieOf(next))).status, 200, next.text)
    })

  test('decision 0127: whoever copied a cookie ends the sign-in, even within the seconds of grace', async () => {
    const cookie = cookieOf(await signIn((await aPerson()).email))
    const [thief, browser] = [await refresh(cookie), await refresh(cookie)]
    const first = await refresh(cookieOf(thief))
    assert.equal(first.status, 200, first.text)
    assert.equal((await refresh(cookieOf(browser))).status, 401)
    for (const { body } of [thief, browser, first]) assert.equal(await statusOf(body.token), 401)
    assert.equal((await refresh(cookieOf(first))).status, 401)
  })

  test('decision 0127: after the seconds of grace, a cookie that is sent again ends the sign-in', async () => {
    const opened = await signIn((await aPerson()).email)
    const cookie = cookieOf(opened)
    const next = await refresh(cookie)
    const id = decodeId('ses', opened.body.id)!
    const refreshed_at = new Date(Date.now() - limits.browserRepeatMs - 1000).toISOString()
    await changeSealedRows(database, 'sessions', sql`t.id = ${id}`, () => ({ refreshed_at }))
    assert.equal((await refresh(cookie)).status, 401)
    assert.equal(await statusOf(next.body.token), 401)
  })

  test('of the cookies that concurrent refreshes with one cookie got, one goes on', async () => {
    const cookie = cookieOf(await signIn((await aPerson()).email))
    const replies = await Promise.all([1, 2, 3].map(() => refresh(cookie)))
    const used = await Promise.all(replies.map((reply) => refresh(cookieOf(reply))))
    const statuses = used.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, 401, 401])
  })

  test('other pages, unknown cookies and none are refused, and change nothing', async () => {
    const opened = await signIn((await aPerson()).email)
    const cookie = cookieOf(opened)
    for (const origin of ['', 'null', 'https://evil.example', 'http://localhost:1']) {
      assert.equal((await refresh(cookie, {}, { origin })).status, 403, origin)
    }
    const unknown = `svc_refresh=rf_${'A'.repeat(64)}`
    for (const sent of ['', 'svc_refresh=nonsense', unknown, `${cookie}; ${cookie}`]) {
      assert.equal((await refresh(sent)).status, 401, sent)
    }
    assert.equal((await refresh(cookie)).status, 200)
  })

  test('a page may be at any name or address of this machine', async () => {
    let cookie = cookieOf(await signIn((await aPerson()).email))
    const { port } = new URL(baseUrl)
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const refreshed = await refresh(cookie, {}, { origin: `http://${host}:${port}` })
      assert.equal(refreshed.status, 200, host)
      cookie = cookieOf(refreshed)
    }
  })

  test('a refresh may name another organization of the user, and a refused one keeps the cookie', async () => {
    const { email, organizations } = await aPerson([{ mode: 'live' }, { role: 'viewer' }])
    const cookie = cookieOf(await signIn(email))
    const foreign = (await anOrganization(running)).id
    assert.equal((await refresh(cookie, { organization_id: foreign })).status, 404)
    const other = await refresh(cookie, { organization_id: organizations[0] })
    assert.equal(other.status, 200, other.text)
    assert.match(other.body.token, /^rs_live_/)
    assert.equal(other.body.organization.id, organizations[0])
  })

  test('a sign-in ends a week after its last token', async () => {
    const opened = await signIn((await aPerson()).email)
    const id = decodeId('ses', opened.body.id)!
    const past = () => ({ expires_at: '2026-01-01T00:00:00.000Z' })
    await changeSealedRows(database, 'sessions', sql`t.id = ${id}`, past)
    assert.equal((await refresh(cookieOf(opened))).status, 401)
  })

  test('however often it is refreshed, a sign-in ends 30 days after it began', async () => {
    const opened = await signIn((await aPerson()).email)
    const id = decodeId('ses', opened.body.id)!
    const created_at = new Date(Date.now() - limits.browserSignInMaxMs + 60_000).toISOString()
    await changeSealedRows(database, 'sessions', sql`t.id = ${id}`, () => ({ created_at }))
    const next = await refresh(cookieOf(opened))
    assert(Date.parse(next.body.expires_at) <= Date.parse(created_at) + limits.browserSignInMaxMs)
  })

  test(`a browser has at most ${limits.browserTokensMax} tokens at the same time`, async () => {
    let reply = await signIn((await aPerson()).email)
    for (let tokens = 1; tokens < limits.browserTokensMax; tokens += 1) {
      reply = await refresh(cookieOf(reply))
      assert.equal(reply.status, 200, reply.text)
    }
    const refused = await refresh(cookieOf(reply))
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
  })

  test('a dry run shows neither a token nor a cookie, and keeps the cookie', async () => {
    const { email } = await aPerson()
    const dry = { 'svc-dry-run': 'true' }
    const tried = await signIn(email, dry)
    assert.deepEqual([tried.body.token, tried.headers.get('set-cookie')], [null, null])
    const cookie = cookieOf(await signIn(email))
    const same = await refresh(cookie, {}, dry)
    assert.deepEqual([same.body.token, same.headers.get('set-cookie')], [null, null])
    assert.equal((await refresh(cookie)).status, 200)
  })
})

describe('the sessions of a user', () => {
  const list = (key: string, query = '') =>
    callApi(running, 'GET', `/auth/sessions${query}`, { key })
  const end = (key: string, id: string) =>
    callApi(running, 'DELETE', `/auth/sessions/${id}`, { key })

  test('GET /auth/session lists the organizations and roles of the user', async () => {
    const { email, organizations } = await aPerson([{ mode: 'live' }, { role: 'viewer' }])
    const { token } = (await signIn(email)).body
    const { body } = await callApi(running, 'GET', '/auth/session', { key: token })
    const [live, sandbox] = organizations
    assert.deepEqual(body.organizations, [
      { id: live, name: 'Organization 1', mode: 'live', role: 'owner' },
      { id: sandbox, name: 'Organization 2', mode: 'sandbox', role: 'viewer' },
    ])
    assert.deepEqual([body.client, typeof body.authenticated_at], ['browser', 'string'])
  })

  test('they are listed newest first, each once, with the one that asks, and pages continue', async () => {
    const { email } = await aPerson()
    const cli = await callApi(running, 'POST', '/auth/sessions', { body: { email, password } })
    const browser = await signIn(email)
    const { token } = (await refresh(cookieOf(browser))).body
    const { body } = await list(token)
    const shown = body.data.map((one: Record<string, unknown>) => [
      one['id'],
      one['client'],
      one['is_current'],
      one['user_agent'],
      one['address'],
    ])
    assert.deepEqual(shown, [
      [browser.body.id, 'browser', true, 'A browser', '127.0.0.1'],
      [cli.body.id, 'cli', false, 'node', '127.0.0.1'],
    ])
    const first = (await list(token, '?limit=1')).body
    const second = (await list(token, `?limit=1&cursor=${first.next_cursor}`)).body
    assert.deepEqual([...first.data, ...second.data], body.data)
  })

  test('one that is ended stops at once, on every process, with all tokens of its browser', async () => {
    const other = await running.startAnother()
    const { email } = await aPerson([{}, { mode: 'live' }])
    const browser = await signIn(email)
    const [, organization] = (
      await callApi(running, 'GET', '/auth/session', { key: browser.body.token })
    ).body.organizations
    const elsewhere = await refresh(cookieOf(browser), { organization_id: organization.id })
    const cli = (await callApi(running, 'POST', '/auth/sessions', { body: { email, password } }))
      .body
    const ended = await end(cli.token, browser.body.id)
    assert.deepEqual([ended.status, ended.body.id], [200, browser.body.id])
    for (const { body } of [browser, elsewhere]) {
      assert.equal((await callApi(other, 'GET', '/v1/me', { key: body.token })).status, 401)
    }
    assert.equal((await refresh(cookieOf(elsewhere))).status, 401)
    assert.equal((await end(cli.token, browser.body.id)).status, 404)
    assert.equal(await statusOf(cli.token), 200)
  })

  test('those of another user are 404', async () => {
    const [mine, theirs] = [
      await signIn((await aPerson()).email),
      await signIn((await aPerson()).email),
    ]
    assert.equal((await end(mine.body.token, theirs.body.id)).status, 404)
    assert.equal(await statusOf(theirs.body.token), 200)
    assert.equal((await list(mine.body.token)).body.data.length, 1)
  })

  test('signing out ends the browser’s sign-in and deletes its cookie', async () => {
    const browser = await signIn((await aPerson()).email)
    const { token } = (await refresh(cookieOf(browser))).body
    const out = await callApi(running, 'DELETE', '/auth/session', { key: token })
    assert.equal(out.status, 200)
    assert.match(out.headers.get('set-cookie')!, /^svc_refresh=; Max-Age=0;/)
    assert.equal(await statusOf(browser.body.token), 401)
  })

  test('a switch keeps the sign-in of the browser', async () => {
    const { email, organizations } = await aPerson([{}, { mode: 'live' }])
    const browser = await signIn(email)
    const target = organizations.find((id) => id !== browser.body.organization.id)
    const switched = await callApi(running, 'POST', '/auth/session/switch', {
      key: browser.body.token,
      body: { organization_id: target },
    })
    assert.deepEqual([switched.body.id, switched.body.organization.id], [browser.body.id, target])
    const next = await refresh(cookieOf(browser))
    assert.equal(next.body.organization.id, target, 'the organization last used')
  })
})

describe('an old row revives nothing', () => {
  test('a cookie that was used, with the row of before', async () => {
    const opened = await signIn((await aPerson()).email)
    const id = decodeId('ses', opened.body.id)!
    const restore = await copyRows(database, 'sessions', idIs(id))
    assert.equal((await refresh(cookieOf(opened))).status, 200)
    await restore()
    assertNoticed(running, await refresh(cookieOf(opened)), 'sessions')
  })

  test('a sign-in that was ended, with the row of before', async () => {
    const opened = await signIn((await aPerson()).email)
    const id = decodeId('ses', opened.body.id)!
    const restore = await copyRows(database, 'sessions', idIs(id))
    await callApi(running, 'DELETE', '/auth/session', { key: opened.body.token })
    await restore()
    assertNoticed(running, await refresh(cookieOf(opened)), 'sessions')
  })
})
