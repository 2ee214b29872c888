/** How far the search for what members are told has come belongs to one service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '../../src/context.ts'
import type { SqlQuery } from '../../src/database/sql.ts'
import { findNotices } from '../../src/tasks/find-notices.ts'

const now = '2026-01-01T00:00:00.000Z'

/** A service with nothing to tell until now, and whether each of its searches began anew. */
const aService = () => {
  const beganAnew: boolean[] = []
  const background = {
    run: async () => 0,
    rows: async ({ values }: SqlQuery) => {
      beganAnew.push(values.includes('-infinity'))
      return [{ subject_id: null, organization_id: null, next: now }]
    },
  }
  const context = { mailer: {}, database: { background } } as unknown as Context
  return { context, beganAnew }
}

test('another service of the same process looks at all that may be told', async () => {
  const [one, other] = [aService(), aService()]
  for (const { context } of [one, one, other]) await findNotices.run(context)
  const kinds = other.beganAnew.length
  assert(kinds > 0)
  const all = (isAnew: boolean) => Array.from({ length: kinds }, () => isAnew)
  assert.deepEqual(one.beganAnew, [...all(true), ...all(false)])
  assert.deepEqual(other.beganAnew, all(true))
})
