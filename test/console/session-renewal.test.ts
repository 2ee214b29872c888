/** How the token of a browser is renewed, and what another tab does meanwhile. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'

/** The parts of a browser that the session uses. */
const browser = {
  kept: new Map<string, string>(),
  onStorage: (_: { key: string; newValue: string | null }): void => undefined,
  answer: (): Promise<Response> => assert.fail('nothing was asked'),
  opened: [] as string[],
}
const globals: PropertyDescriptorMap = {
  localStorage: {
    value: {
      getItem: (key: string) => browser.kept.get(key) ?? null,
      setItem: (key: string, value: string) => browser.kept.set(key, value),
      removeItem: (key: string) => browser.kept.delete(key),
    },
  },
  fetch: { value: () => browser.answer() },
  location: { value: { assign: (page: string) => browser.opened.push(page) } },
  addEventListener: {
    value: (_: 'storage', listener: typeof browser.onStorage) => (browser.onStorage = listener),
  },
}
const before = Object.keys(globals).map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
)
for (const [name, descriptor] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { ...descriptor, configurable: true })
}

/** The next test file of this process has what Node.js offers. */
const restoreGlobals = () => {
  for (const [name, descriptor] of before) {
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
    else Object.defineProperty(globalThis, name, descriptor)
  }
}

interface Sessions {
  openSession(of: ReturnType<typeof opened>): void
  renewSession(): Promise<'renewed' | 'ended' | Response | null>
  tokenBeside(organization: string): Promise<Response | null>
  currentSession(): object | null
  sessionToken(): string | null
}

/** Its own compiler knows the types of a browser, and this one does not. */
const path: string = '../../console/src/api/session.ts'
const session = (await import(path)) as Sessions

const opened = (organization: string, token = 'rs_test_1') => ({
  id: 'ses_1',
  token,
  expires_at: '2026-11-28T12:00:00Z',
  organization: { id: organization, name: 'Practice', mode: 'sandbox' as const },
  user: { id: 'usr_1', email: 'ada@example.com', name: 'Ada' },
  role: 'owner' as const,
  scopes: [],
})

const answerOf = (status: number) => async () => Response.json({ error: {} }, { status })

/** A renewal whose answer is on its way. */
const underWay = () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  browser.answer = () => promise
  const renewal = session.renewSession()
  return async (of: object) => {
    resolve(Response.json(of))
    return renewal
  }
}

describe('the session of a browser is renewed', () => {
  after(restoreGlobals)
  beforeEach(() => session.openSession(opened('org_1')))

  test('401 alone ends it', async () => {
    browser.answer = answerOf(401)
    assert.equal(await session.renewSession(), 'ended')
    assert.equal(session.currentSession(), null)
    browser.answer = () => assert.fail('nothing is left to renew')
    assert.equal(await session.renewSession(), 'ended')
  })

  for (const status of [403, 429, 500, 503])
    test(`${status} is about the call, and each caller reads why`, async () => {
      browser.answer = answerOf(status)
      const renewals = [session.renewSession(), session.renewSession()]
      for (const renewal of await Promise.all(renewals)) {
        assert(renewal instanceof Response)
        assert.equal(renewal.status, status)
        await renewal.clone().json()
      }
      browser.answer = async () => Response.json(opened('org_1', 'rs_test_2'))
      assert.equal(await session.renewSession(), 'renewed')
      assert.equal(session.sessionToken(), 'rs_test_2')
    })

  test('a service that cannot be reached has decided nothing', async () => {
    browser.answer = () => Promise.reject(new TypeError('Failed to fetch'))
    assert.equal(await session.renewSession(), null)
    assert.equal(session.sessionToken(), 'rs_test_1')
  })

  test('decision 0162: an organization that was entered meanwhile stays', async () => {
    const answer = underWay()
    session.openSession(opened('org_2', 'rs_test_of_2'))
    assert.equal(await answer(opened('org_1', 'rs_test_late')), 'renewed')
    assert.equal(session.sessionToken(), 'rs_test_of_2')
  })

  test('somebody else who signed in in another tab: nothing here goes on as theirs', async () => {
    const bob = { id: 'usr_2', email: 'bob@example.com', name: 'Bob' }
    browser.answer = async () => Response.json({ ...opened('org_1', 'rs_test_of_bob'), user: bob })
    assert.equal(await session.tokenBeside('org_2'), null)
    assert.equal(await session.renewSession(), null)
    assert.equal(session.sessionToken(), 'rs_test_1')
    assert.deepEqual(browser.opened, ['/app'])
  })

  test('whoever has signed out meanwhile, in another tab, stays signed out', async () => {
    const answer = underWay()
    browser.kept.delete('signed-in')
    browser.onStorage({ key: 'signed-in', newValue: null })
    assert.equal(await answer(opened('org_1', 'rs_test_late')), 'ended')
    assert.deepEqual([session.currentSession(), browser.kept.size], [null, 0])
  })
})
