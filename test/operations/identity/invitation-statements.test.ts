/** What an invitation asks the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../../../src/context.ts'
import type { Connection, SqlQuery } from '../../../src/database/sql.ts'
import { create } from '../../../src/operations/identity/connections.ts'
import type { HandlerOf } from '../../../src/operations/operation.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

/** How many statements the invitation of another organization sends. */
const statementsOf = async (more: object): Promise<number> => {
  const [inviter, invitee] = [await anOrganization(running), await anOrganization(running)]
  const { database, service } = running
  const sent: SqlQuery[] = []
  const tx = {
    seals: database.seals,
    rows: (query: SqlQuery) => (sent.push(query), database.rows(query)),
    row: (query: SqlQuery) => (sent.push(query), database.row(query)),
    run: (query: SqlQuery) => (sent.push(query), database.run(query)),
  } as unknown as Connection
  const organization = { id: inviter.uuid, mode: 'test' }
  const call = { organization, credential: {}, context: service.context } as unknown as Call
  const { run } = create.handler as HandlerOf<'transacts'>
  const body = { organization_id: invitee.id, ...more }
  await run(tx, call, { body } as never)
  return sent.length
}

test('an invitation asks for the time once more only if it has terms to check', async () => {
  const without = await statementsOf({})
  assert.equal(await statementsOf({ default_payment_terms: null }), without)
  assert.equal(await statementsOf({ default_payment_terms: 'Net 30' }), without + 1)
})
