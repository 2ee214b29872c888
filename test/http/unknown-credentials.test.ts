/** Credentials that do not exist cost no statement each. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { ServerKeys } from '../../src/core/server-keys.ts'
import { keyRandomBytes, mintKey } from '../../src/core/identity/credentials.ts'
import { openRowSeals } from '../../src/database/row-seals.ts'
import type { Queryable } from '../../src/database/sql.ts'
import { openAuthenticator } from '../../src/http/admission/authenticator.ts'

test('callers with unknown keys share the question whether the server key has changed', async () => {
  const asked = { callers: 0, serverKeys: 0 }
  const seals = openRowSeals(ServerKeys.only(randomBytes(32)), async () => {
    asked.serverKeys += 1
    return false
  })
  const rows = async () => ((asked.callers += 1), [])
  const authenticator = openAuthenticator({ rows, seals } as unknown as Queryable, () =>
    assert.fail(),
  )
  const attempts = Array.from({ length: 100 }, () => {
    const authorization = `Bearer ${mintKey('test', randomBytes(keyRandomBytes)).key}`
    return authenticator.callerOf(authenticator.credentialIn({ authorization }, {} as Socket))
  })
  const outcomes = await Promise.allSettled(attempts)
  assert(outcomes.every(({ status }) => status === 'rejected'))
  assert(asked.callers < 10 && asked.serverKeys < 10, JSON.stringify(asked))
  assert(asked.serverKeys > 0)
})
