/**
 * The order of refusals for families that are switched off (contract 2): generated over all
 * operations, so that a new one is covered too.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { families } from '../../src/contract/families.ts'
import { limits } from '../../src/contract/limits.ts'
import { operations } from '../../src/operations/index.ts'
import { type RequestOptions, callApi } from '../support/api-client.ts'
import { aKey, anOrganization } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ FAMILIES: 'enablement' })
const organization = await anOrganization(running)
const reader = (await aKey(running, organization, ['documents:read'])).secret

/** A record id of the kind that the path takes: what it names is never looked up. */
const examplePath = (path: string): string => path.replaceAll(/\{\w+\}/g, `doc_${'0'.repeat(26)}`)

interface Declared {
  method: string
  path: string
  family: string
  bodyMaxBytes: number
}

const json = 'application/json'
const form = 'multipart/form-data; boundary=x'

const declared: Declared[] = [
  ...operations.flatMap(({ method, path, family, takesFile }) =>
    family === undefined || family === 'enablement'
      ? []
      : [
          {
            method,
            path,
            family,
            bodyMaxBytes: takesFile
              ? limits.attachmentMaxBytes + limits.formOverheadMaxBytes
              : limits.bodyMaxBytes,
          },
        ],
  ),
]

test('every family but the one that is always on has operations to check', () => {
  const covered = new Set([...declared.map(({ family }) => family), 'enablement'])
  assert.deepEqual([...covered].toSorted(), Object.keys(families).toSorted())
})

for (const { method, path: pattern, family, bodyMaxBytes } of declared) {
  const path = examplePath(pattern)
  const isWrite = method !== 'GET'
  const call = (at: string, how: string, options: RequestOptions = {}) =>
    callApi(running, how, at, { key: organization.session, ...options })

  describe(`contract 2: ${method} ${pattern} of the disabled family ${family}`, () => {
    test('401 for a wrong credential comes before it', async () => {
      assertRefused(await call(path, method, { key: 'nonsense' }), 'unauthorized')
    })

    test('404 for an unknown path and 405 for an unknown method come before it', async () => {
      assertRefused(await call(`${path}/nothing/here`, method), 'not_found')
      const wrong = assertRefused(await call(path, 'OPTIONS'), 'method_not_allowed')
      assert.equal(wrong, undefined)
    })

    if (isWrite) {
      test('413 for the size comes before it', async () => {
        const headers = { 'content-type': bodyMaxBytes > limits.bodyMaxBytes ? form : json }
        const raw = Buffer.alloc(bodyMaxBytes + 1, 0x20)
        assertRefused(await call(path, method, { raw, headers }), 'payload_too_large')
      })
    }

    test('it comes before the scope, the Idempotency-Key, the media type and the record', async () => {
      const headers = { 'idempotency-key': '', 'content-type': 'text/plain' }
      const options = isWrite ? { headers, raw: '{' } : {}
      for (const key of [reader, organization.session]) {
        const reply = await call(`${path}?nonsense=1`, method, { key, ...options })
        assert.deepEqual(assertRefused(reply, 'not_enabled'), { family })
      }
    })
  })
}
