/** What is kept for a time, and purged after it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { dayMs } from '../../../src/core/dates.ts'
import { encodeId, firstUuidAt } from '../../../src/core/ids.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { raw, sql } from '../../../src/database/sql.ts'
import { purgeExpired } from '../../../src/tasks/purge-expired.ts'
import { callApi } from '../../support/api-client.ts'
import { runAndSeal } from '../../support/database/run-and-seal.ts'
import { anOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const { database, service } = running
const { uuid: organization, userId } = await anOrganization(running)

test('requests are listed for 30 days; expired ones, ended sessions and expired links are purged', async () => {
  const owner = await anOrganization(running)
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
  while (await purgeExpired.run(service.context));
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

/** How long a row is kept after this time of it, and how a row comes to be. */
const expiring: Readonly<
  Record<string, { keptMs: number; insert(id: string, at: string): Promise<unknown> }>
> = {
  idempotency: {
    keptMs: service.context.config.idempotencyRetentionMs,
    insert: (id, at) =>
      database.run(sql`
        insert into idempotency (key_mac, organization_id, fingerprint, status, body, is_encrypted,
          request_id, created_at, seal)
        values (${id}::text::bytea, ${organization}, '', 200, '', false, ${id}, ${at}, '')`),
  },
  link_requests: {
    keptMs: limits.linkRequestWindowMs,
    insert: (id, at) =>
      database.run(sql`
        insert into link_requests (id, email, network, browser_hash, created_at, answered_at)
        values (${id}, '', '', '', ${at}, ${at})`),
  },
  rail_events: {
    keptMs: limits.railEventDays * dayMs,
    insert: (id, at) =>
      database.run(sql`
        insert into rail_events (rail, event_id, received_at) values ('stripe', ${id}, ${at})`),
  },
  oidc_attempts: {
    keptMs: 0,
    insert: (id, at) =>
      database.run(sql`
        insert into oidc_attempts (hash, expires_at) values (${id}::text::bytea, ${at})`),
  },
  member_invitations: {
    keptMs: 30 * dayMs,
    insert: (id, at) => {
      const row = sql`
        insert into member_invitations (id, organization_id, email, role, hash, invited_by,
          created_at, expires_at, ended_at, access_version, seal)
        values (${id}, ${organization}, '', 'viewer', ${id}::text::bytea, ${userId}, ${at}, ${at}, ${at},
          0, '')`
      return runAndSeal(database, 'member_invitations', row)
    },
  },
  notices: {
    keptMs: limits.noticeRetentionDays * dayMs,
    insert: (id, at) => {
      const row = sql`
        insert into notices (id, organization_id, kind, subject_id, status, attempts, created_at,
          seal)
        values (${id}, ${organization}, 'key_expiring', ${id}, 'sent', 1, ${at}, '')`
      return runAndSeal(database, 'notices', row)
    },
  },
}

for (const [table, { keptMs, insert }] of Object.entries(expiring)) {
  test(`what has expired of ${table} is purged, and nothing that has not`, async () => {
    const [gone, kept] = [newId(), newId()]
    const endedMs = Date.now() - keptMs
    await insert(gone, new Date(endedMs - 60_000).toISOString())
    await insert(kept, new Date(endedMs + 60_000).toISOString())
    while (await purgeExpired.run(service.context));
    const rows = await database.rows<{ text: string }>(
      sql`select t::text as text from ${raw(table)} t`,
    )
    const isThere = (id: string) =>
      rows.some(({ text }) =>
        [id, Buffer.from(id).toString('hex')].some((one) => text.includes(one)),
      )
    assert.deepEqual([gone, kept].map(isThere), [false, true])
  })
}
