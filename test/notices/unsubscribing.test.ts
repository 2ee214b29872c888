/** Decision 0275, RFC 8058: a person turns a kind of notice off from a mail, without a sign-in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId, encodeId } from '../../src/core/ids.ts'
import { hashPassword } from '../../src/changes/identity/passwords.ts'
import { signatureOf } from '../../src/changes/identity/signed-tokens.ts'
import { createUnsubscribeToken } from '../../src/changes/notices/unsubscribe-links.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { launchBrowser, missingBrowser } from '../support/console/browser.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { aPersonWith } from '../support/identity/people.ts'
import { type TestOrganization, anOrganization } from '../support/fixtures.ts'
import { aKeyThatExpires } from '../support/notices/expiring-keys.ts'
import { startNoticeService } from '../support/notices/notice-service.ts'

const publicUrl = 'https://documents.example.com'
const { running, mailsOf } = await startNoticeService({ BASE_URL: publicUrl })

/** The path of the link in a mail that tells the owner of a key. */
const aLink = async (organization: TestOrganization): Promise<string> => {
  await aKeyThatExpires(running, organization)
  const [mail] = await mailsOf(organization, 'key_expiring')
  const [link = ''] = mail!.headers.get('list-unsubscribe') ?? []
  assert(link.startsWith(`<${publicUrl}/unsubscribe/`) && link.endsWith('>'), link)
  return link.slice(1 + publicUrl.length, -1)
}

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${running.baseUrl}${path}`, { redirect: 'error', ...init })

const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
const inParts = new FormData()
inParts.set('List-Unsubscribe', 'One-Click')

const post = (path: string, body: RequestInit['body'] = oneClick): Promise<Response> =>
  call(path, { method: 'POST', body })

const preferencesOf = async ({ session: key }: TestOrganization) =>
  (await callApi(running, 'GET', '/v1/preferences', { key })).body

const on = {
  approval_wanted: true,
  payment_failed: true,
  endpoint_failing: true,
  key_expiring: true,
}

test('a notice has the headers for one click, and an invitation has none', async () => {
  const organization = await anOrganization(running)
  await aLink(organization)
  const [mail] = await mailsOf(organization, 'key_expiring')
  assert.deepEqual(mail!.headers.get('list-unsubscribe-post'), ['List-Unsubscribe=One-Click'])
  assert(!mail!.text.includes('/unsubscribe/') && !mail!.html.includes('/unsubscribe/'))
  const body = { email: `invited-${organization.uuid}@example.com` }
  await callApi(running, 'POST', '/v1/connections', { key: organization.session, body })
  const [invitation] = await mailsOf(organization, 'connection_invitation')
  const names = [...invitation!.headers.keys()].filter((name) => name.startsWith('list-'))
  assert.deepEqual(names, [])
})

test('a program that opens the link changes nothing', async () => {
  const organization = await anOrganization(running)
  const path = await aLink(organization)
  for (const method of ['GET', 'HEAD', 'GET']) {
    const response = await call(path, { method })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
    const text = await response.text()
    if (method === 'GET') assert.match(text, /Turn this notice off\?.*An API key expires/s)
    assert(!text.includes(organization.email), 'whoever has the link need not know the address')
  }
  assert.equal((await call(path, { method: 'PUT' })).status, 405)
  assert.deepEqual((await preferencesOf(organization)).notices, on)
})

test('the form of a mail program turns this kind off, for this person, however often', async () => {
  for (const form of [oneClick, inParts]) {
    const organization = await anOrganization(running)
    const other = await anOrganization(running)
    const path = await aLink(organization)
    const response = await post(path, form)
    assert.equal(response.status, 200)
    assert.match(await response.text(), /This notice is off/)
    const preferences = await preferencesOf(organization)
    assert.deepEqual(preferences.notices, { ...on, key_expiring: false })
    assert.equal((await post(path, form)).status, 200)
    assert.deepEqual(await preferencesOf(organization), preferences, 'nothing is written again')
    assert.match(await (await call(path)).text(), /This notice is off/)
    assert.deepEqual((await preferencesOf(other)).notices, on)
    assert(!running.logLines.join('').includes(path), 'logs do not show the link')
  }
})

test('a burst of one network keeps nobody of it from signing in, and each of them is answered', async () => {
  const organizations = await Promise.all(Array.from({ length: 48 }, () => anOrganization(running)))
  const links = await Promise.all(
    organizations.map(async ({ userId: user, email }) => {
      const subscription = { kind: 'key_expiring', user } as const
      const token = await createUnsubscribeToken(running.database, subscription, email)
      return `/unsubscribe/${token}`
    }),
  )
  const passwordHash = await hashPassword('correct horse battery staple')
  const { email } = await aPersonWith(running.database, { memberships: [{}], passwordHash })
  const signIn = () =>
    callApi(running, 'POST', '/auth/sessions', {
      body: { email, password: 'correct horse battery staple' },
    })
  const [signedIn, ...answers] = await Promise.all([signIn(), ...links.map((link) => post(link))])
  assert.equal(signedIn!.status, 201)
  assert.deepEqual(
    answers.map(({ status }) => status),
    links.map(() => 200),
  )
})

test('logs show no link, also of a request that nothing answers', async () => {
  const path = await aLink(await anOrganization(running))
  const requests = [
    ['PUT', path, 405],
    ['OPTIONS', path, 405],
    ['GET', `${path}/`, 404],
    ['POST', `${path}/`, 404],
    ['GET', `${path}%`, 404],
  ] as const
  for (const [method, address, status] of requests) {
    assert.equal((await call(address, { method })).status, status, `${method} ${address}`)
  }
  const signature = path.split('.').at(-1)!
  assert.equal((await call(`/files/${signature}`, { method: 'PUT' })).status, 405)
  assert.deepEqual(
    running.logLines.filter((line) => line.includes(signature)),
    [],
  )
})

test('what is not the form of RFC 8058 changes nothing', async () => {
  const organization = await anOrganization(running)
  const path = await aLink(organization)
  const large = new URLSearchParams({ more: 'x'.repeat(limits.unsubscribeFormMaxBytes) })
  const refused: [RequestInit['body'], number][] = [
    [undefined, 415],
    [JSON.stringify({ 'List-Unsubscribe': 'One-Click' }), 415],
    [new URLSearchParams(), 400],
    [new URLSearchParams({ 'List-Unsubscribe': 'Two-Clicks' }), 400],
    [large, 413],
  ]
  for (const [body, status] of refused) {
    assert.equal((await call(path, { method: 'POST', ...(body && { body }) })).status, status)
  }
  assert.deepEqual((await preferencesOf(organization)).notices, on)
})

test('a link is of one kind, one person and one address, and it ends', async () => {
  const organization = await anOrganization(running)
  const other = await anOrganization(running)
  const path = await aLink(organization)
  const [kind, id, endsAt, signature] = path.slice('/unsubscribe/'.length).split('.')
  const isRefused = async (...parts: unknown[]) => {
    const response = await post(`/unsubscribe/${parts.join('.')}`)
    assert.equal(response.status, 404, parts.join('.'))
    assert.match(await response.text(), /This link no longer works/)
  }
  await isRefused('payment_failed', id, endsAt, signature)
  await isRefused('constructor', id, endsAt, signature)
  await isRefused(kind, encodeId('usr', other.userId), endsAt, signature)
  await isRefused(kind, id, `${endsAt}0`, signature)
  await isRefused(kind, id, endsAt, signature!.slice(1))
  await isRefused(kind, id, endsAt, signature, signature)
  await isRefused(kind)
  const user = decodeId('usr', id!)!
  const endingAt = (ms: number): string[] => {
    const end = ms.toString(36)
    const text = `no ${kind} for ${user} at ${organization.email}, until ${end}`
    return [kind!, id!, end, signatureOf(running.database.seals, text)]
  }
  await isRefused(...endingAt(Date.now() - 1))
  const open = `/unsubscribe/${endingAt(Date.now() + 60_000).join('.')}`
  assert.equal((await call(open)).status, 200)
  const moved = sql`update users set email = ${`new-${organization.email}`} where id = ${user}`
  await runAndSeal(running.database, 'users', moved)
  await isRefused(kind, id, endsAt, signature)
  assert.deepEqual((await preferencesOf(organization)).notices, on)
})

test('a person turns a notice off with the button', { skip: missingBrowser ?? false }, async () => {
  const organization = await anOrganization(running)
  const path = await aLink(organization)
  const browser = await launchBrowser()
  const page = await (await browser.newContext({ viewport: { width: 320, height: 640 } })).newPage()
  await page.goto(`${running.baseUrl}${path}`)
  assert.equal(await page.evaluate(`getComputedStyle(document.body).padding`), '0px 16px')
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: 'This notice is off' }).waitFor()
  assert.deepEqual((await preferencesOf(organization)).notices, { ...on, key_expiring: false })
  await browser.close()
})
