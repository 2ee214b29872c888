/** What is kept for a time, and purged after it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeId, firstUuidAt } from '../../../src/core/ids.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { purgeExpired } from '../../../src/tasks/purge-expired.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

test('requests are listed for 30 days; expired ones, ended sessions and expired links are purged', async () => {
  const owner = await anOrganization(running)
  const { database } = running
  // The one of 31 days ago shares its week with younger ones.
  const ids = [38, 31, 29].map((days) => firstUuidAt(Date.now() - days * 86_400_000))
  for (const id of ids) {
    await database.run(sql`
      insert into requests (organization_id, id, method, path, status, duration_ms)
      values (${owner.uuid}, ${id}, 'GET', '/v1/me', 200, 1)`)
  }
  const key = owner.session
  const { body } = await callApi(running, 'GET', '/v1/requests?path=/v1/me', { key })
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [encodeId('req', ids[2]!)],
  )
  const ended = newId()
  await runAndSeal(
    database,
    'sessions',
    sql`
    insert into sessions (id, user_id, organization_id, mode, hash, created_at, expires_at,
      authenticated_at, session_version, seal)
    select ${ended}, user_id, organization_id, mode, 'ended', created_at,
      now() - interval '1 second', authenticated_at, session_version, '' from sessions
    where organization_id = ${owner.uuid}`,
  )
  await runAndSeal(
    database,
    'sign_in_links',
    sql`
    insert into sign_in_links (hash, user_id, expires_at, user_version, seal)
    values ('late', ${owner.userId}, now() - interval '1 second', 0, ''),
      ('open', ${owner.userId}, now() + interval '1 hour', 0, '')`,
  )
  while (await purgeExpired.run(running.service.context));
  const remaining = await database.rows<{ id: string }>(
    sql`select id from requests where organization_id = ${owner.uuid} and id = any(${ids}) order by id`,
  )
  assert(remaining.every(({ id }) => id !== ids[0]))
  assert.equal(remaining.at(-1)?.id, ids[2])
  const sessions = await database.rows<{ id: string }>(
    sql`select id from sessions where organization_id = ${owner.uuid}`,
  )
  assert(sessions.length === 1 && sessions[0]!.id !== ended)
  const links = await database.rows(
    sql`select hash from sign_in_links where user_id = ${owner.userId}`,
  )
  assert.equal(links.length, 1)
})
