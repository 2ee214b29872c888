/**
 * kill -9 at every commit point of a payment, in a process of its own: before PostgreSQL has the
 * COMMIT, after it has it, and with the answer lost on the way. What the database then holds is
 * looked at before anybody repairs it; after a restart and a retry there is one effect, the ledger
 * is at zero, and the document agrees with its payment. `LONG=1`: every fault everywhere.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '../../src/startup/keyring.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { connectProcessor } from '../../src/store/payments/processors.ts'
import { assertConsistent } from '../support/database/consistency.ts'
import { assertLedger } from '../support/payments/ledger.ts'
import { anApproved, pay } from '../support/payments/payments.ts'
import { type CommitFault, startProxy } from '../support/database/proxy.ts'
import {
  type Pair,
  type Running,
  aPair,
  ask,
  freshKey,
  move,
  startTestService,
  until,
} from '../support/service.ts'
import { startStandIn } from '../support/payments/stripe-stand-in.ts'
import {
  type Victim,
  serverKey,
  startVictim,
  startVictimCluster,
} from '../support/processes/victims.ts'

const cluster = await startVictimCluster()
const proxy = await startProxy(cluster.loopbackUrl())
const standIn = await startStandIn()
// The witness sets things up and looks at them; it carries out nothing that is due.
const witness = await startTestService(
  { SERVER_KEY: serverKey, PROCESS_ROLE: 'api' },
  { url: cluster.url() },
)
const keyring = await openKeyring({ serverKey, dataDir: '' })

const sound = async (): Promise<void> => {
  await assertLedger(witness.database)
  await assertConsistent(witness.database, keyring.history!)
}

/** The payments of a document as they are stored. */
const stored = async (id: string) => {
  const rows = await witness.database.rows<{ status: string; settlement_reference: string | null }>(
    sql`select status, settlement_reference from payments where document_id = ${decodeId('doc', id)!}`,
  )
  assert(rows.length <= 1)
  const [row] = rows
  const isKnown = row?.status === 'processing' && row.settlement_reference !== null
  return isKnown ? 'known to the rail' : row?.status
}

const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

interface Case {
  pair: Pair
  /** An approved invoice. */
  id: string
  /** The same for every attempt. */
  headers: { 'idempotency-key': string }
}

/** Done to a process; answers the status, or nothing when it does so by itself. */
type Act = (on: Pick<Running, 'base'>, made: Case) => Promise<number>

const paying =
  (source_account_id: string): Act =>
  async (on, { pair, id, headers }) =>
    (await pay(on as Running, pair.counterparty.key, id, { headers, body: { source_account_id } }))
      .status
const scheduling: Act = async (on, { pair, id, headers }) => {
  const body = { to: 'payment_scheduled', scheduled_for: inDays(2) }
  const asking = { key: pair.counterparty.key, headers, body }
  return (await ask(on as Running, 'POST', `/v1/documents/${id}/transition`, asking)).status
}
const advancing =
  (advance_by: string): Act =>
  async (on, { pair, headers }) => {
    const asking = { key: pair.issuer.key, headers, body: { advance_by } }
    return (await ask(on as Running, 'POST', '/v1/sandbox/clock', asking)).status
  }
const telling: Act = async (on, { id }) => {
  const { key } = live!.counterparty
  const { payment } = (await ask(witness, 'GET', `/v1/documents/${id}`, { key })).body
  const intent = { id: `pi_${payment.id}`, object: 'payment_intent', metadata: {} }
  const object = { ...intent, metadata: { payment_id: payment.id } }
  const { payload, header } = standIn.event('payment_intent.succeeded', object, `evt_${payment.id}`)
  const answer = await fetch(`${on.base}/processors/stripe/webhooks`, {
    method: 'POST',
    body: payload,
    headers: { 'stripe-signature': header, 'content-type': 'application/json' },
  })
  return answer.status
}

interface Point {
  name: string
  mode?: 'live'
  /** By the witness, unharmed. */
  before?: Act
  /** To the victim; none: a worker finds it by itself. */
  act?: Act
  /** What the database holds without the COMMIT, and with it. */
  from: string | undefined
  to: string
  /** What the debit becomes at once, at the stand-in. */
  next?: string
  /** Much like another one. */
  isForLong?: true
}

const points: Point[] = [
  { name: 'paid in place', act: paying('acct_test_ok'), from: undefined, to: 'settled' },
  {
    name: 'settling later',
    before: paying('acct_test_async'),
    act: advancing('PT60S'),
    from: 'processing',
    to: 'settled',
  },
  {
    name: 'handed over',
    act: paying('acct_test_async'),
    from: undefined,
    to: 'processing',
    isForLong: true,
  },
  { name: 'scheduled', act: scheduling, from: undefined, to: 'scheduled', isForLong: true },
  {
    name: 'started on its day',
    before: scheduling,
    act: advancing('P3D'),
    from: 'scheduled',
    to: 'settled',
  },
  {
    name: 'failing later',
    before: paying('acct_test_account_closed'),
    act: advancing('PT2S'),
    from: 'processing',
    to: 'failed',
    isForLong: true,
  },
  {
    name: 'returned',
    before: paying('acct_test_return'),
    act: advancing('P2D'),
    from: 'settled',
    to: 'returned',
  },
  { name: 'submitted to the live rail', mode: 'live', from: 'processing', to: 'known to the rail' },
  {
    name: 'settled at once by the live rail',
    mode: 'live',
    from: 'processing',
    to: 'settled',
    next: 'succeeded',
    isForLong: true,
  },
  {
    name: 'settled by an event of the live rail',
    mode: 'live',
    act: telling,
    from: 'processing',
    to: 'settled',
  },
]

let live: Pair | undefined
/** Connected to the processor; paying for the live ones is asked for by the witness. */
const aLivePair = async (): Promise<Pair> => {
  live = await aPair(witness, 'live')
  for (const { uuid } of [live.issuer, live.counterparty]) {
    const ends = { customer: 'cus_x', paymentMethods: '{"USD":"pm_usd"}', payout: 'acct_x' }
    await connectProcessor(witness.database, uuid, ends)
  }
  return live
}

const aCase = async ({ mode, before }: Point): Promise<Case> => {
  const pair = mode === 'live' ? await aLivePair() : await aPair(witness)
  const { id } = await anApproved(witness, pair)
  const headers = () => ({ 'idempotency-key': freshKey() })
  if (mode === 'live') await move(witness, pair.counterparty.key, id, 'paid')
  assert([undefined, 200].includes(await before?.(witness, { pair, id, headers: headers() })))
  return { pair, id, headers: headers() }
}

const victimFor = ({ act }: Point): Promise<Victim> =>
  startVictim(proxy.url, {
    PROCESS_ROLE: act === undefined ? 'worker' : 'api',
    ...standIn.settings(),
  })

interface Killing {
  victim(): Victim | undefined
  fault: CommitFault
  isDone(): Promise<boolean>
}

/** Kills the victim at its next COMMIT of a payment; resolves when it is dead. */
const killAtCommit = ({ victim, fault, isDone }: Killing): Promise<void> =>
  new Promise((resolve, reject) => {
    const kill = () => victim()!.kill().then(resolve, reject)
    proxy.onCommit = async (written) => {
      if (!written.has('payments')) return 'pass'
      proxy.onCommit = () => 'pass'
      await until('the victim can be killed', () => victim() !== undefined)
      // Dead before PostgreSQL reads the COMMIT, after it has carried it out, or in between.
      if (fault === 'lose the request') await kill()
      else if (fault === 'pass') void kill()
      else void until('the COMMIT is carried out', isDone).then(kill, reject)
      return fault
    }
  })

const faults = ['lose the request', 'lose the answer', 'pass'] as const
const isLong = process.env['LONG'] === '1'

const asked = points.filter(({ isForLong }) => isLong || isForLong === undefined)
asked.forEach((point, i) => {
  const some = isLong || i === 0 ? faults : [faults[i % faults.length]!]
  for (const fault of some) {
    const title = `kill -9 at the COMMIT (${fault}), ${point.name}: one effect`
    test(title, { timeout: 60_000 }, async () => {
      const { from, to, act, next = 'processing' } = point
      const made = await aCase(point)
      assert.equal(await stored(made.id), from)
      standIn.next = next
      let victim: Victim | undefined
      const isDone = async () => (await stored(made.id)) === to
      const dead = killAtCommit({ victim: () => victim, fault, isDone })
      victim = await victimFor(point)
      const first = act?.(victim, made).catch(() => undefined)
      await dead
      await first
      // A COMMIT that arrived was carried out, one that did not was not; else either of the two.
      const possible: Record<CommitFault, (string | undefined)[]> = {
        'lose the request': [from],
        'lose the answer': [to],
        pass: [from, to],
      }
      assert(possible[fault].includes(await stored(made.id)))
      await sound()

      victim = await victimFor(point)
      if (act !== undefined) {
        await until('the retry is answered', async () => {
          const status = await act(victim!, made).catch(() => undefined)
          return status === 200
        })
      }
      await until('it came to its end', isDone)
      if (point.mode === 'live' && act === undefined) {
        const { payment } = (
          await ask(witness, 'GET', `/v1/documents/${made.id}`, { key: made.pair.issuer.key })
        ).body
        assert.equal(standIn.ofPayment(payment.id).length, 1)
      }
      await victim.kill()
      await sound()
    })
  }
})
