/** Decision 0115: what members are told of an endpoint that fails, and of one that is disabled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { anOrganization } from '../support/fixtures.ts'
import {
  everyRole,
  hurryNotices,
  membersInRoles,
  noticesOf,
  startNoticeService,
} from '../support/notices/notice-service.ts'
import { until } from '../support/until.ts'
import { subscribe } from '../support/webhooks/receiver.ts'

const { running, server, mailsOf, toldOf } = await startNoticeService({
  WEBHOOK_ALLOW_PRIVATE: '1',
})
const { database } = running

const setFailures = (id: string, failures: number) =>
  database.run(sql`
    update webhook_endpoints set consecutive_failures = ${failures}
    where id = ${decodeId('whk', id)!}`)

test('an endpoint at 10 of 20 failures is told once, and again after it has recovered', async () => {
  const organization = await anOrganization(running)
  const members = await membersInRoles(running, organization, everyRole)
  const endpoint = await subscribe(running, organization, 'http://127.0.0.1:9/hook?secret=hush')
  await setFailures(endpoint.id, 9)
  await setFailures(endpoint.id, 10)
  assert.deepEqual(
    await toldOf(organization, 'endpoint_failing'),
    [members.admin, members.developer, members.member, organization.email].toSorted(),
  )
  const mails = await mailsOf(organization, 'endpoint_failing')
  for (const { to, text, raw } of mails) {
    const isAdmin = [members.admin, organization.email].includes(to[0]!)
    assert.equal(text.includes('127.0.0.1:9'), isAdmin, 'only admins see the endpoints')
    assert.equal(text.includes(endpoint.id), isAdmin)
    assert.match(text, /failed to take 10 deliveries/)
    assert(!raw.includes('hush'))
  }
  const before = await noticesOf(running, organization, 'endpoint_failing')
  await setFailures(endpoint.id, 11)
  await setFailures(endpoint.id, 0)
  await until('the streak is forgotten', async () => {
    return (await noticesOf(running, organization, 'endpoint_failing')).length === 0
  })
  await setFailures(endpoint.id, 10)
  await until('it is told again', async () => {
    const after = await noticesOf(running, organization, 'endpoint_failing')
    return after.length === before.length && after.every(({ status }) => status === 'sent')
  })
})

test('an endpoint that failures have disabled before anybody was told is told as disabled', async () => {
  const disable = (id: string, failures: number, daysAgo = 0) =>
    runAndSeal(
      database,
      'webhook_endpoints',
      sql`update webhook_endpoints set status = 'DISABLED', consecutive_failures = ${failures},
          last_failure_at = now() - ${daysAgo} * interval '1 day'
        where id = ${decodeId('whk', id)!}`,
    )
  const organization = await anOrganization(running)
  const [sudden, queued, byHand, longAgo] = await Promise.all(
    ['sudden', 'queued', 'byhand', 'longago'].map((name) =>
      subscribe(running, organization, `http://127.0.0.1:9/${name}`),
    ),
  )
  await server.stop()
  await setFailures(queued.id, limits.endpointFailuresTold)
  await until('one is to be told', async () => {
    return (await noticesOf(running, organization, 'endpoint_failing')).length === 1
  })
  await disable(queued.id, limits.webhookFailuresMax)
  // Its notice was purged, or the service sent no mail then.
  await disable(longAgo.id, limits.webhookFailuresMax, 2)
  await disable(sudden.id, limits.webhookFailuresMax)
  await disable(byHand.id, limits.endpointFailuresTold)
  const toldCount = async () => (await noticesOf(running, organization, 'endpoint_failing')).length
  await until('two are to be told', async () => (await toldCount()) >= 2)
  await server.start()
  await hurryNotices(running)
  const mails = await mailsOf(organization, 'endpoint_failing', 2)
  for (const { id } of [queued, sudden]) {
    const mail = mails.find(({ text }) => text.includes(id))
    assert.equal(mail?.subject, '[Sandbox] The webhook endpoint at 127.0.0.1:9 is disabled')
    assert.match(mail.text, /failed to take 20 deliveries in a row\.\s+It is disabled/)
  }
  assert.equal(await toldCount(), 2)
})
