/** A queue that a caller can fill refuses at once what does not fit, and others still get in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workClasses } from '../../src/contract/work-classes.ts'
import { type Reply, callApi } from '../support/api-client.ts'
import { type TestOrganization, anOrganization } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const invited = await anOrganization(running)

interface QueueCase {
  workClass: keyof typeof workClasses
  /** Work of this class waits while this is held. */
  lock: string
  send(by: TestOrganization): Promise<Reply>
  status: number
}

const cases: QueueCase[] = [
  {
    workClass: 'lists',
    lock: 'document_views in access exclusive mode',
    send: ({ key }) => callApi(running, 'GET', '/v1/documents', { key }),
    status: 200,
  },
  {
    workClass: 'heavy',
    lock: 'search_entries in access exclusive mode',
    send: ({ key }) => callApi(running, 'GET', '/v1/documents?query=board', { key }),
    status: 200,
  },
  {
    workClass: 'writes',
    lock: 'connections in exclusive mode',
    send: ({ session }) =>
      callApi(running, 'POST', '/v1/connections', {
        key: session,
        body: { organization_id: invited.id },
      }),
    status: 201,
  },
  {
    workClass: 'credentials',
    lock: 'keys in exclusive mode',
    send: ({ session }) =>
      callApi(running, 'POST', '/v1/keys', {
        key: session,
        body: { name: 'One of many', scopes: ['documents:read'] },
      }),
    status: 201,
  },
]

/** Not so one that has waited longer for the lock than the database lets it. */
const isRefusedByQueue = ({ status, text }: Reply): boolean =>
  status === 503 && text.includes('Too many requests of this kind are waiting')

const extra = 5

for (const { workClass, lock, send, status } of cases) {
  const { runningPerOrganization, waitingPerOrganization, waitMaxMs } = workClasses[workClass]
  const room = runningPerOrganization + waitingPerOrganization

  test(`${workClass}: beyond ${room} of an organization, a request is refused at once`, async () => {
    const attacker = await anOrganization(running)
    const victim = await anOrganization(running)
    const locker = await openTestConnection(running.databaseUrl, 'test locker')
    await locker.script(`begin; lock table ${lock}`)
    const refused: Reply[] = []
    const sentAt = performance.now()
    const attempts = Array.from({ length: room + extra }, async () => {
      const reply = await send(attacker)
      // A slow machine does not get through the queue before the wait of the last ones ends.
      const isAtOnce = performance.now() - sentAt < waitMaxMs
      if (isRefusedByQueue(reply) && isAtOnce) refused.push(reply)
      return reply
    })
    try {
      await until('what does not fit is refused', () => Promise.resolve(refused.length === extra))
      for (const { headers } of refused) assert.equal(headers.get('retry-after'), '1')
      const waits = send(victim)
      await locker.script('rollback')
      assert.equal((await waits).status, status)
    } finally {
      await locker.close()
    }
    await Promise.all(attempts)
    assert.equal(refused.length, extra)
  })
}
