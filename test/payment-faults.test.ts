/**
 * kill -9 at every commit point of a payment: before PostgreSQL has the COMMIT, after it has it,
 * and with the answer lost on the way. After the restart and a retry: one effect, the ledger at
 * zero, and a document that agrees with its payment. `LONG=1` also fails and returns payments.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '../src/keyring.ts'
import { assertConsistent } from './support/consistency.ts'
import { assertLedger } from './support/ledger.ts'
import { type CommitFault, startProxy } from './support/proxy.ts'
import { anApproved } from './support/payments.ts'
import { type Reply, aPair, ask, freshKey, startTestService, until } from './support/service.ts'
import { type Victim, serverKey, startVictim, startVictimCluster } from './support/victims.ts'

const cluster = await startVictimCluster()
const proxy = await startProxy(cluster.loopbackUrl())
// The witness sets things up and looks at them; it carries out nothing that is due.
const witness = await startTestService(
  { SERVER_KEY: serverKey, PROCESS_ROLE: 'api' },
  { url: cluster.url() },
)
const keyring = await openKeyring({ serverKey, dataDir: '' })
/** Started anew by each test, and by it alone: what a test starts ends with it. */
let victim: Victim

/** Kills the victim at its next COMMIT, or a later one; resolves when it is dead. */
const killAtCommit = (fault: CommitFault, nth = 1): Promise<void> =>
  new Promise((resolve) => {
    let seen = 0
    proxy.onCommit = async () => {
      seen += 1
      if (seen !== nth) return 'pass'
      const killed = victim.kill().then(resolve)
      // Dead before PostgreSQL reads the COMMIT, or while it is on its way there and back.
      if (fault === 'lose the request') await killed
      return fault
    }
  })

const restart = async () => {
  proxy.onCommit = () => 'pass'
  victim = await startVictim(proxy.url)
}

const sound = async (): Promise<void> => {
  await assertLedger(witness.database)
  await assertConsistent(witness.database, keyring.history!)
}

const isLong = process.env['LONG'] === '1'
const faults = ['lose the request', 'lose the answer', 'pass'] as const

/** A payment is made of these commits: asking for it, and what becomes of it later. */
const ways = [
  { name: 'in place', source: 'acct_test_ok', later: undefined, ends: ['paid', 'settled'] },
  { name: 'settling later', source: 'acct_test_async', later: 'PT60S', ends: ['paid', 'settled'] },
  {
    name: 'failing later',
    source: 'acct_test_account_closed',
    later: 'PT2S',
    ends: ['approved', 'failed'],
  },
  { name: 'returned', source: 'acct_test_return', later: 'P2D', ends: ['approved', 'returned'] },
] as const

/** Sent until its outcome is known. */
const insist = async (send: () => Promise<Reply>): Promise<Reply> => {
  let reply: Reply | undefined
  await until('the retry is answered', async () => {
    reply = await send().catch(() => undefined)
    const isOpen =
      reply?.status === 503 || reply?.body.error?.details?.reason === 'request_in_progress'
    return reply !== undefined && !isOpen
  })
  return reply!
}

for (const { name, source, later, ends } of isLong ? ways : ways.slice(0, 2)) {
  for (const fault of faults) {
    test(`kill -9 at the COMMIT (${fault}), ${name}: one effect`, async () => {
      await restart()
      const pair = await aPair(witness)
      const { key } = pair.counterparty
      const { id } = await anApproved(witness, pair)
      const headers = { 'idempotency-key': freshKey() }
      const send = () =>
        ask(victim, 'POST', `/v1/documents/${id}/pay`, {
          key,
          headers,
          body: { source_account_id: source },
        })
      const dead = killAtCommit(fault)
      const first = send().catch(() => undefined)
      await dead
      await first
      await restart()
      await sound()
      const retried = await insist(send)
      assert.equal(retried.status, 200, retried.text)
      if (later !== undefined) {
        const advance = () =>
          ask(victim, 'POST', '/v1/sandbox/clock', { key, body: { advance_by: later } })
        // The first COMMIT moves the clock, the second settles, fails or returns the payment.
        const again = killAtCommit(fault, 2)
        await advance().catch(() => undefined)
        await again
        await restart()
        await insist(advance)
      }
      const read = () => ask(witness, 'GET', `/v1/documents/${id}`, { key })
      await until('it ended', async () => (await read()).body.payment?.status === ends[1])
      const { body } = await read()
      assert.deepEqual([body.status, body.payment.id], [ends[0], retried.body.payment.id])
      const list = await ask(witness, 'GET', `/v1/payments?document=${id}`, { key })
      assert.equal(list.body.data.length, 1)
      await sound()
    })
  }
}
