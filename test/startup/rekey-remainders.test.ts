/**
 * `admin rekey --finish` says what still needs the old key, and for how long at most, so that an
 * operator knows until when to wait.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseContent } from '../../src/changes/provenance/erasure.ts'
import { limits } from '../../src/contract/limits.ts'
import { dayMs } from '../../src/core/dates.ts'
import { decodeId } from '../../src/core/ids.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { aPersonAtHome } from '../support/identity/second-factor.ts'
import { runAdmin } from '../support/processes/program.ts'
import { serverKey, startTestService } from '../support/test-service.ts'
import { inTime } from '../support/until.ts'

const both = {
  SERVER_KEY: 'the server key to which the test moves, 32',
  SERVER_KEY_PREVIOUS: serverKey,
}
const before = await startTestService()
const { databaseUrl } = before
const draft = await aDraft(before, await aPair(before))

const admin = (args: readonly string[]) =>
  inTime(args.join(' '), runAdmin(args, { DATABASE_URL: databaseUrl, ...both }))

test('a browser that is signed in needs the old key for up to a week, other sessions for twelve hours', async () => {
  const { signIn } = await aPersonAtHome(before)
  assert.equal((await signIn()).status, 201)
  assert.equal((await signIn({ client: 'browser' })).status, 201)
  await before.service.stop()
  await startTestService(both, { url: databaseUrl })
  const rekeyed = await admin(['rekey'])
  assert.equal(rekeyed.exitCode, 0, rekeyed.stdout + rekeyed.stderr)

  const { exitCode, stdout } = await admin(['rekey', '--finish'])
  assert.equal(exitCode, 1)
  // The token of the browser is one of them, and the pair has two.
  assert.match(stdout, /\bsessions: 4 \(wait: .* within 12 hours\)/)
  assert.match(stdout, /\bsign-ins of browsers: 1 \(wait: .* within seven days\)/)
  assert.deepEqual([limits.sessionLifetimeMs, limits.browserIdleMs], [dayMs / 2, 7 * dayMs])
})

test('a stored response needs the old key also after an erasure, which seals it anew', async () => {
  const { context } = (await startTestService(both, { url: databaseUrl })).service
  const storedResponses = async () =>
    /\bstored responses: (\d+)/.exec((await admin(['rekey', '--finish'])).stdout)?.[1]
  const count = await storedResponses()
  assert(count !== undefined)
  const id = decodeId('doc', draft.id)!
  assert(await context.database.transaction((tx) => eraseContent(tx, id, context)))
  assert.equal(await storedResponses(), count, 'its key is found by the old server key')
})
