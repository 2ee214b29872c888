/**
 * Rules that hold for every operation, generated from the list so that a new one is covered too.
 * Operations outside of /v1 (sign-in) are not part of the contract and have their own tests.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Scope, scopeNames } from '../../src/contract/scopes.ts'
import { operations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'
import {
  type ExampleCall,
  credentialFor,
  exampleCalls,
  isApprovals,
} from '../support/http/example-calls.ts'
import {
  withoutIds,
  assertCommonHeaders,
  assertProblems,
  assertRefused,
} from '../support/http/error-responses.ts'
import { sharedCredentials } from '../support/http/shared-credentials.ts'
import { enableFinance } from '../support/finance/loans.ts'
import { type RequestOptions, type Reply, callApi } from '../support/api-client.ts'
import { type TestOrganization, aPair, anOrganization, connectPair } from '../support/fixtures.ts'
import { startFakeStripe } from '../support/payments/fake-stripe.ts'
import { startTestService } from '../support/test-service.ts'
import { isVersioned } from '../../src/docs/operation-facts.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const withoutFamilies = await running.startAnother({ FAMILIES: 'enablement' })

/** One owner with a live organization and its sandbox, each with a partner, plus two outsiders. */
const livePair = await aPair(running, 'live')
const sandboxOrganization = await anOrganization(running, { sandboxOf: livePair.issuer.uuid })
const sandboxPair = await connectPair(running, sandboxOrganization, await anOrganization(running))
const outsiders = {
  live: await anOrganization(running, { mode: 'live' }),
  test: await anOrganization(running),
}

// The sandbox has a demo counterparty, and so has the outsider's.
for (const owner of [sandboxOrganization, outsiders.test]) {
  await connectPair(running, owner, await anOrganization(running, { isDemo: true }))
}
// Whoever has not set up its finance is refused before any record is looked for.
for (const { key } of [outsiders.live, outsiders.test, sandboxOrganization, livePair.issuer]) {
  await enableFinance(running, key)
}
const isSandboxOnly = ({ path }: Operation): boolean => path.startsWith('/v1/sandbox/')

const { keyWith, memberOf } = sharedCredentials(running)

/** The reset runs last, because it removes what the other examples need. */
const coveredOperations = operations
  .filter(isVersioned)
  .toSorted((a, b) => Number(a.id === 'sandbox.reset') - Number(b.id === 'sandbox.reset'))

test('every operation has an example call', () => {
  for (const { id } of coveredOperations) {
    assert(id in exampleCalls, `DO NOT SKIP THIS: add an example call for ${id}`)
  }
})

for (const operation of coveredOperations.filter(({ id }) => id in exampleCalls)) {
  describe(operation.id, () => coverOperation(operation))
}

type SharedExamples = (pair: typeof livePair) => Promise<ExampleCall>

/** One example call for each pair: building its records takes longer than what is tested on it. */
function sharedExamples(id: string): SharedExamples {
  const ofPairs = new Map<typeof livePair, Promise<ExampleCall>>()
  return (pair) => {
    const example = ofPairs.get(pair) ?? exampleCalls[id]!(running, pair)
    ofPairs.set(pair, example)
    return example
  }
}

async function coverOperation(operation: Operation): Promise<void> {
  const { id, method, allowed, family, scopes = [], takesFile = false } = operation
  const isWrite = method !== 'GET'
  const isPublic = allowed === 'public'
  const pair = isSandboxOnly(operation) ? sandboxPair : livePair
  const owner = credentialFor(operation, pair.issuer)
  const unchanged = sharedExamples(id)

  /** Sends a call that changes nothing, so that all of them share the records of one example. */
  const send = async (
    options: RequestOptions & { query?: string; example?: ExampleCall } = {},
    at = running,
  ): Promise<Reply> => {
    const { query = '', example, ...rest } = options
    const { path, body } = example ?? (await unchanged(pair))
    return callApi(at, method, path.includes('?') ? path + query.replace('?', '&') : path + query, {
      ...(isPublic ? {} : { key: owner }),
      ...(body === undefined ? {} : { body }),
      ...rest,
    })
  }

  /** Sends a call that succeeds, with records of its own. */
  const sendOnce = async (options: RequestOptions = {}, at = running): Promise<Reply> =>
    send({ ...options, example: await exampleCalls[id]!(running, pair) }, at)

  if (!isPublic) {
    test('specification 5.1: a missing key and a wrong key get 401', async () => {
      const { path, body } = await unchanged(pair)
      const bare = await callApi(running, method, path, { body })
      assertRefused(bare, 'unauthorized')
      const wrong = await send({ key: `${owner.slice(0, -1)}${owner.endsWith('0') ? '1' : '0'}` })
      assertRefused(wrong, 'unauthorized')
    })
  }

  const assertSucceeds = (reply: Reply): void => {
    assert.equal(reply.status, operation.status ?? 200, reply.text)
    assertCommonHeaders(reply)
    assert.equal(reply.headers.has('svc-should-retry'), false)
  }

  if (allowed === 'scoped' || allowed === 'admin or scoped') {
    test('specification 5.5: a key that lacks a required scope gets 403 insufficient_scope', async () => {
      for (const missing of scopes) {
        const others = scopeNames.filter((scope) => scope !== missing)
        const secret = await keyWith(pair.issuer, others)
        const details = assertRefused(await send({ key: secret }), 'insufficient_scope')
        assert.deepEqual(details, { required_scopes: scopes, key_scopes: others })
      }
    })

    test('specification 5.5: a key with exactly the right scopes may call', async () => {
      assertSucceeds(await sendOnce({ key: await keyWith(pair.issuer, scopes) }))
    })
  }

  if (allowed === 'admin') {
    test('contract 3: an admin operation refuses a key with every scope and a member’s session', async () => {
      const secret = await keyWith(pair.issuer, scopeNames)
      const member = await memberOf(pair.issuer)
      for (const key of [secret, member]) {
        const details = assertRefused(await send({ key }), 'insufficient_scope')
        assert.deepEqual(details.required_scopes, ['admin_session'])
        assert.deepEqual(details.key_scopes, scopesOf(key, secret))
      }
    })
  }

  if (allowed === 'session') {
    test('contract 12: what belongs to a person refuses every key, and serves every member', async () => {
      const secret = await keyWith(pair.issuer, scopeNames)
      const details = assertRefused(await send({ key: secret }), 'insufficient_scope')
      assert.deepEqual(details.required_scopes, ['session'])
      const member = await memberOf(pair.issuer)
      assert((await send({ key: member })).status !== 403)
    })
  }

  if (allowed === 'any' && !isApprovals(id)) {
    test('contract 4: any credential may call, whatever its scope', async () => {
      for (const scope of scopeNames) {
        const secret = await keyWith(pair.issuer, [scope])
        assert.equal((await send({ key: secret })).status, 200)
      }
      assert.equal((await send({ key: pair.issuer.session })).status, 200)
    })
  }

  if (!isPublic) coverIsolation(operation, unchanged)

  test('specification 1: an operation of a disabled family answers 403 not_enabled', async () => {
    const isAlwaysOn = family === undefined || family === 'enablement'
    const reply = await (isAlwaysOn ? sendOnce : send)({}, withoutFamilies)
    if (isAlwaysOn) assert.equal(reply.status, operation.status ?? 200)
    else assert.deepEqual(assertRefused(reply, 'not_enabled'), { family })
  })

  if (isWrite) {
    test('specification 4.2.1: a write without Idempotency-Key answers 400 missing_header', async () => {
      const reply = await send({ headers: { 'idempotency-key': '' } })
      assertProblems(reply, 'Idempotency-Key missing_header')
    })

    test('contract 1: a media type other than application/json answers 415', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
        const reply = await send({ raw: '{}', headers: { 'content-type': type } })
        assertRefused(reply, 'unsupported_media_type')
      }
    })

    test('contract 2: a malformed body answers 400 with a pointer to the whole body', async () => {
      const type = takesFile ? 'multipart/form-data; boundary=x' : 'application/json'
      const reply = await send({ raw: '{"a":', headers: { 'content-type': type } })
      assertProblems(reply, ' invalid_value')
    })

    test('contract 1: an unknown field answers 400 unknown_field', async () => {
      const form = new FormData()
      form.append('nonsense_1', '1')
      const body = takesFile ? form : { nonsense_1: 1 }
      const { errors } = assertRefused(await send({ body }), 'invalid_request')
      const codes = errors.map(
        (problem: { param: string; code: string }) => `${problem.param} ${problem.code}`,
      )
      assert(codes.includes('/nonsense_1 unknown_field'), codes.join())
    })
  }

  test('contract 1: an unknown query parameter answers 400 unknown_field', async () => {
    assertProblems(await send({ query: '?nonsense=1' }), 'nonsense unknown_field')
  })

  // There, a key with the right scopes has shown it.
  if (allowed === 'scoped') return
  test('the example succeeds with the headers that every response carries', async () => {
    assertSucceeds(await sendOnce())
  })
}

/** The expected `key_scopes`: a member has every scope except those reserved for admins. */
const scopesOf = (credential: string, key: string): readonly Scope[] =>
  credential === key ? scopeNames : scopeNames.filter((scope) => !scope.endsWith(':manage'))

/** The id of a record, in a path or a body. */
const idForm = /([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}/

/**
 * Contract 1: another organization's record answers 404. Contract 2: the caller's own record of
 * the other mode answers sandbox_isolation.
 */
function coverIsolation(operation: Operation, unchanged: SharedExamples): void {
  const { method } = operation
  const send = (path: string, caller: TestOrganization, body: unknown): Promise<Reply> =>
    callApi(running, method, path, { key: credentialFor(operation, caller), body })

  const isOnlySandbox = isSandboxOnly(operation)

  const assertForeign = async (pair: typeof livePair, caller: TestOrganization): Promise<void> => {
    const { path, body, forOthers } = await unchanged(pair)
    const reply = await send(path, caller, body)
    if (isOnlySandbox && caller.mode === 'live') {
      assertRefused(reply, 'sandbox_isolation')
    } else if (forOthers === 'missing') {
      assertRefused(reply, 'not_found')
      const absent = (text: string) => text.replace(idForm, `$1_${'0'.repeat(26)}`)
      const noBody: unknown =
        body === undefined || body instanceof FormData
          ? body
          : JSON.parse(absent(JSON.stringify(body)))
      const missing = await send(absent(path), caller, noBody)
      const [foreignText, missingText] = [reply, missing].map((refusal) =>
        withoutIds(refusal, assertRefused(refusal, 'not_found').id),
      )
      assert.equal(foreignText, missingText)
    } else {
      assert.equal(reply.status, operation.status ?? 200, reply.text)
      for (const text of forOthers.hides) assert(!reply.text.includes(text), `${text} is shown`)
    }
  }

  test('contract 1: another organization gets the 404 of a missing record, or none of the owner’s data', async () => {
    if (!isOnlySandbox) await assertForeign(livePair, outsiders.live)
    await assertForeign(sandboxPair, outsiders.test)
  })

  test('contract 2: a foreign record of the other mode is treated the same way', async () => {
    if (!isOnlySandbox) await assertForeign(livePair, outsiders.test)
    await assertForeign(sandboxPair, outsiders.live)
  })

  for (const [mismatch, pair, caller] of [
    ['live record with a sandbox credential', livePair, sandboxOrganization],
    ['sandbox record with a live credential', sandboxPair, livePair.issuer],
  ] as const) {
    test(`contract 2: the caller’s own ${mismatch} answers sandbox_isolation, or shows none of its data`, async () => {
      if (isOnlySandbox && pair === livePair) return
      const { path, body, forOthers } = await unchanged(pair)
      const reply = await send(path, caller, body)
      if (forOthers === 'missing') assertRefused(reply, 'sandbox_isolation')
      else
        for (const text of forOthers.hides) assert(!reply.text.includes(text), `${text} is shown`)
    })
  }

  if (!operation.path.includes('/{id}')) return
  test('contract 1: a malformed id in the path answers 404', async () => {
    const pair = isOnlySandbox ? sandboxPair : livePair
    const { path, body } = await unchanged(pair)
    for (const wrong of ['nonsense', 'doc_', 'DOC_0', '%00', 'x'.repeat(4_000)]) {
      const reply = await send(path.replace(idForm, wrong), pair.issuer, body)
      assertRefused(reply, 'not_found')
    }
  })
}
