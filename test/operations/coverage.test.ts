/**
 * What holds for every operation, from the list of operations: a new one cannot be forgotten.
 * Operations outside of /v1 (sign-in) are not part of the contract and have tests of their own.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Scope, scopeNames } from '../../src/contract/scopes.ts'
import { operations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { aMemberSession, credentialFor, exampleCalls } from '../support/http/example-calls.ts'
import {
  withoutIds,
  assertCommonHeaders,
  assertProblems,
  assertRefused,
} from '../support/http/error-responses.ts'
import {
  type TestOrganization,
  type RequestOptions,
  type Reply,
  aKey,
  aPair,
  anOrganization,
  callApi,
  connectPair,
  startTestService,
} from '../support/service.ts'

const running = await startTestService()
const withoutFamilies = await running.startAnother({ FAMILIES: 'enablement' })

/** One owner with a live organization and its sandbox, each with a partner; and somebody else. */
const livePair = await aPair(running, 'live')
const sandboxOrganization = await anOrganization(running, { sandboxOf: livePair.issuer.uuid })
const sandboxPair = await connectPair(running, sandboxOrganization, await anOrganization(running))
const outsiders = {
  live: await anOrganization(running, { mode: 'live' }),
  test: await anOrganization(running),
}

// The sandbox has a played counterparty, and so has somebody else's.
for (const one of [sandboxOrganization, outsiders.test]) {
  await connectPair(running, one, await anOrganization(running, { isDemo: true }))
}
const isOfSandbox = ({ path }: Operation): boolean => path.startsWith('/v1/sandbox/')

/** What a reset takes away, no later example needs. */
const coveredOperations = operations
  .filter(({ isUnversioned }) => isUnversioned !== true)
  .toSorted((a, b) => Number(a.id === 'sandbox.reset') - Number(b.id === 'sandbox.reset'))

test('every operation has an example call', () => {
  for (const { id } of coveredOperations) {
    assert(id in exampleCalls, `DO NOT SKIP THIS: add an example call for ${id}`)
  }
})

for (const operation of coveredOperations.filter(({ id }) => id in exampleCalls)) {
  describe(operation.id, () => coverOperation(operation))
}

async function coverOperation(operation: Operation): Promise<void> {
  const { id, method, allowed, family, scopes = [], takesFile = false } = operation
  const isWrite = method !== 'GET'
  const isPublic = allowed === 'public'
  const pair = isOfSandbox(operation) ? sandboxPair : livePair
  const example = () => exampleCalls[id]!(running, pair)
  const owner = credentialFor(operation, pair.issuer)

  const send = async (
    asking: RequestOptions & { query?: string } = {},
    at = running,
  ): Promise<Reply> => {
    const { path, body } = await example()
    const { query = '', ...rest } = asking
    return callApi(at, method, path.includes('?') ? path + query.replace('?', '&') : path + query, {
      ...(isPublic ? {} : { key: owner }),
      ...(body === undefined ? {} : { body }),
      ...rest,
    })
  }

  if (!isPublic) {
    test('specification 5.1: without a key → 401, the same for a wrong one', async () => {
      const { path, body } = await example()
      const bare = await callApi(running, method, path, { body })
      assertRefused(bare, 'unauthorized')
      const wrong = await send({ key: `${owner.slice(0, -1)}${owner.endsWith('0') ? '1' : '0'}` })
      assertRefused(wrong, 'unauthorized')
      assert.equal(withoutIds(wrong), withoutIds(bare))
    })
  }

  if (allowed === 'scoped' || allowed === 'admin or scoped') {
    test('specification 5.5: every scope but the right one → 403 insufficient_scope', async () => {
      for (const missing of scopes) {
        const others = scopeNames.filter((scope) => scope !== missing)
        const { secret } = await aKey(running, pair.issuer, others)
        const details = assertRefused(await send({ key: secret }), 'insufficient_scope')
        assert.deepEqual(details, { required_scopes: scopes, key_scopes: others })
      }
    })

    test('specification 5.5: a key with exactly the right scopes may call', async () => {
      const { secret } = await aKey(running, pair.issuer, scopes)
      assert.equal((await send({ key: secret })).status, operation.status ?? 200)
    })
  }

  if (allowed === 'admin') {
    test('contract 3: a key with every scope, and a member’s session → admin_session required', async () => {
      const { secret } = await aKey(running, pair.issuer, scopeNames)
      const member = await aMemberSession(running, pair.issuer)
      for (const key of [secret, member]) {
        const details = assertRefused(await send({ key }), 'insufficient_scope')
        assert.deepEqual(details.required_scopes, ['admin_session'])
        assert.deepEqual(details.key_scopes, scopesOf(key, secret))
      }
    })
  }

  if (allowed === 'any') {
    test('contract 4: any credential may call, whatever its scope', async () => {
      for (const scope of scopeNames) {
        const { secret } = await aKey(running, pair.issuer, [scope])
        assert.equal((await send({ key: secret })).status, 200)
      }
      assert.equal((await send({ key: pair.issuer.session })).status, 200)
    })
  }

  if (!isPublic) coverIsolation(operation)

  test('specification 1: its family switched off → 403 not_enabled', async () => {
    const reply = await send({}, withoutFamilies)
    const isAlwaysOn = family === undefined || family === 'enablement'
    if (isAlwaysOn) assert.equal(reply.status, operation.status ?? 200)
    else assert.deepEqual(assertRefused(reply, 'not_enabled'), { family })
  })

  if (isWrite) {
    test('specification 4.2.1: a write without Idempotency-Key → 400 missing_header', async () => {
      const reply = await send({ headers: { 'idempotency-key': '' } })
      assertProblems(reply, 'Idempotency-Key missing_header')
    })

    test('contract 1: another media type than application/json → 415', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
        const reply = await send({ raw: '{}', headers: { 'content-type': type } })
        assertRefused(reply, 'unsupported_media_type')
      }
    })

    test('contract 2: a malformed body → 400 that points at the whole of it', async () => {
      const type = takesFile ? 'multipart/form-data; boundary=x' : 'application/json'
      const reply = await send({ raw: '{"a":', headers: { 'content-type': type } })
      assertProblems(reply, ' invalid_value')
    })

    test('contract 1: an unknown field → 400 unknown_field', async () => {
      const form = new FormData()
      form.append('nonsense_1', '1')
      const body = takesFile ? form : { nonsense_1: 1 }
      const { errors } = assertRefused(await send({ body }), 'invalid_request')
      const codes = errors.map((one: { param: string; code: string }) => `${one.param} ${one.code}`)
      assert(codes.includes('/nonsense_1 unknown_field'), codes.join())
    })
  }

  test('contract 1: an unknown query parameter → 400 unknown_field', async () => {
    assertProblems(await send({ query: '?nonsense=1' }), 'nonsense unknown_field')
  })

  test('the example succeeds, and its answer carries what every answer carries', async () => {
    const reply = await send()
    assert.equal(reply.status, operation.status ?? 200, reply.text)
    assertCommonHeaders(reply)
    assert.equal(reply.headers.has('svc-should-retry'), false)
  })
}

/** What `key_scopes` must say: a member has all but the scopes that are granted to admins. */
const scopesOf = (credential: string, key: string): readonly Scope[] =>
  credential === key ? scopeNames : scopeNames.filter((scope) => scope !== 'keys:manage')

/** The id of an owner's record, in a path or a body. */
const idForm = /([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}/

/** Contract 1: not yours = 404. Contract 2: your own in the other mode = sandbox_isolation. */
function coverIsolation(operation: Operation): void {
  const { id, method } = operation
  const send = (path: string, caller: TestOrganization, body: unknown): Promise<Reply> =>
    callApi(running, method, path, { key: credentialFor(operation, caller), body })

  const isOnlySandbox = isOfSandbox(operation)

  const assertForeign = async (pair: typeof livePair, caller: TestOrganization): Promise<void> => {
    const { path, body, forOthers } = await exampleCalls[id]!(running, pair)
    const reply = await send(path, caller, body)
    if (forOthers === 'missing') {
      assertRefused(reply, 'not_found')
      const absent = (text: string) => text.replace(idForm, `$1_${'0'.repeat(26)}`)
      const noBody: unknown =
        body === undefined || body instanceof FormData
          ? body
          : JSON.parse(absent(JSON.stringify(body)))
      const missing = await send(absent(path), caller, noBody)
      const [one, other] = [reply, missing].map((answer) =>
        withoutIds(answer, assertRefused(answer, 'not_found').id),
      )
      assert.equal(one, other)
    } else if (isOnlySandbox && caller.mode === 'live') {
      assertRefused(reply, 'sandbox_isolation')
    } else {
      assert.equal(reply.status, operation.status ?? 200, reply.text)
      for (const text of forOthers.hides) assert(!reply.text.includes(text), `${text} is shown`)
    }
  }

  test('contract 1: another organization → 404 as if missing, or nothing of the owner', async () => {
    if (!isOnlySandbox) await assertForeign(livePair, outsiders.live)
    await assertForeign(sandboxPair, outsiders.test)
  })

  test('contract 2: a foreign record of the other mode → the same', async () => {
    if (!isOnlySandbox) await assertForeign(livePair, outsiders.test)
    await assertForeign(sandboxPair, outsiders.live)
  })

  for (const [what, pair, caller] of [
    ['live record named with the sandbox’s credential', livePair, sandboxOrganization],
    ['sandbox record named with the live credential', sandboxPair, livePair.issuer],
  ] as const) {
    test(`contract 2: an own ${what} → sandbox_isolation, or nothing of it`, async () => {
      if (isOnlySandbox && pair === livePair) return
      const { path, body, forOthers } = await exampleCalls[id]!(running, pair)
      const reply = await send(path, caller, body)
      if (forOthers === 'missing') assertRefused(reply, 'sandbox_isolation')
      else
        for (const text of forOthers.hides) assert(!reply.text.includes(text), `${text} is shown`)
    })
  }

  if (!operation.path.includes('/{id}')) return
  test('contract 1: a malformed id in the path → 404', async () => {
    const pair = isOnlySandbox ? sandboxPair : livePair
    const { path, body } = await exampleCalls[id]!(running, pair)
    for (const wrong of ['nonsense', 'doc_', 'DOC_0', '%00', 'x'.repeat(4_000)]) {
      const reply = await send(path.replace(idForm, wrong), pair.issuer, body)
      assertRefused(reply, 'not_found')
    }
  })
}
