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
import { assertConsistent } from '../support/database/consistency-auditor.ts'
import { assertLedger } from '../support/payments/ledger-auditor.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { type CommitFault, startDatabaseProxy } from '../support/database/database-proxy.ts'
import {
  type Pair,
  type TestService,
  aPair,
  callApi,
  freshIdempotencyKey,
  move,
  startTestService,
  until,
} from '../support/service.ts'
import { startFakeStripe } from '../support/payments/fake-stripe.ts'
import {
  type KillableService,
  killableServerKey,
  startKillableService,
  startCrashableCluster,
} from '../support/processes/killable-processes.ts'

const cluster = await startCrashableCluster()
const proxy = await startDatabaseProxy(cluster.loopbackUrl())
const fakeStripe = await startFakeStripe()
// The witness sets things up and looks at them; it carries out nothing that is due.
const observer = await startTestService(
  { SERVER_KEY: killableServerKey, PROCESS_ROLE: 'api' },
  { url: cluster.url() },
)
const keyring = await openKeyring({ serverKey: killableServerKey, dataDir: '' })

const assertAllConsistent = async (): Promise<void> => {
  await assertLedger(observer.database)
  await assertConsistent(observer.database, keyring.history!)
}

/** The payments of a document as they are stored. */
const storedStatus = async (id: string) => {
  const rows = await observer.database.rows<{
    status: string
    settlement_reference: string | null
  }>(
    sql`select status, settlement_reference from payments where document_id = ${decodeId('doc', id)!}`,
  )
  assert(rows.length <= 1)
  const [row] = rows
  const isKnown = row?.status === 'processing' && row.settlement_reference !== null
  return isKnown ? 'known to the rail' : row?.status
}

const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

interface PaymentCase {
  pair: Pair
  /** An approved invoice. */
  id: string
  /** The same for every attempt. */
  headers: { 'idempotency-key': string }
}

/** Done to a process; answers the status, or nothing when it does so by itself. */
type PaymentAction = (on: Pick<TestService, 'baseUrl'>, made: PaymentCase) => Promise<number>

const payFrom =
  (source_account_id: string): PaymentAction =>
  async (on, { pair, id, headers }) =>
    (
      await pay(on as TestService, pair.counterparty.key, id, {
        headers,
        body: { source_account_id },
      })
    ).status
const schedulePayment: PaymentAction = async (on, { pair, id, headers }) => {
  const body = { to: 'payment_scheduled', scheduled_for: inDays(2) }
  const asking = { key: pair.counterparty.key, headers, body }
  return (await callApi(on as TestService, 'POST', `/v1/documents/${id}/transition`, asking)).status
}
const advanceClock =
  (advance_by: string): PaymentAction =>
  async (on, { pair, headers }) => {
    const asking = { key: pair.issuer.key, headers, body: { advance_by } }
    return (await callApi(on as TestService, 'POST', '/v1/sandbox/clock', asking)).status
  }
const deliverStripeEvent: PaymentAction = async (on, { id }) => {
  const { key } = livePair!.counterparty
  const { payment } = (await callApi(observer, 'GET', `/v1/documents/${id}`, { key })).body
  const intent = { id: `pi_${payment.id}`, object: 'payment_intent', metadata: {} }
  const object = { ...intent, metadata: { payment_id: payment.id } }
  const { payload, header } = fakeStripe.event(
    'payment_intent.succeeded',
    object,
    `evt_${payment.id}`,
  )
  const answer = await fetch(`${on.baseUrl}/processors/stripe/webhooks`, {
    method: 'POST',
    body: payload,
    headers: { 'stripe-signature': header, 'content-type': 'application/json' },
  })
  return answer.status
}

interface CommitPoint {
  name: string
  mode?: 'live'
  /** By the witness, unharmed. */
  before?: PaymentAction
  /** To the victim; none: a worker finds it by itself. */
  act?: PaymentAction
  /** What the database holds without the COMMIT, and with it. */
  from: string | undefined
  to: string
  /** What the debit becomes at once, at the stand-in. */
  nextDebitStatus?: string
  /** Much like another one. */
  isOnlyForLong?: true
}

const commitPoints: CommitPoint[] = [
  { name: 'paid in place', act: payFrom('acct_test_ok'), from: undefined, to: 'settled' },
  {
    name: 'settling later',
    before: payFrom('acct_test_async'),
    act: advanceClock('PT60S'),
    from: 'processing',
    to: 'settled',
  },
  {
    name: 'handed over',
    act: payFrom('acct_test_async'),
    from: undefined,
    to: 'processing',
    isOnlyForLong: true,
  },
  {
    name: 'scheduled',
    act: schedulePayment,
    from: undefined,
    to: 'scheduled',
    isOnlyForLong: true,
  },
  {
    name: 'started on its day',
    before: schedulePayment,
    act: advanceClock('P3D'),
    from: 'scheduled',
    to: 'settled',
  },
  {
    name: 'failing later',
    before: payFrom('acct_test_account_closed'),
    act: advanceClock('PT2S'),
    from: 'processing',
    to: 'failed',
    isOnlyForLong: true,
  },
  {
    name: 'returned',
    before: payFrom('acct_test_return'),
    act: advanceClock('P2D'),
    from: 'settled',
    to: 'returned',
  },
  { name: 'submitted to the live rail', mode: 'live', from: 'processing', to: 'known to the rail' },
  {
    name: 'settled at once by the live rail',
    mode: 'live',
    from: 'processing',
    to: 'settled',
    nextDebitStatus: 'succeeded',
    isOnlyForLong: true,
  },
  {
    name: 'settled by an event of the live rail',
    mode: 'live',
    act: deliverStripeEvent,
    from: 'processing',
    to: 'settled',
  },
]

let livePair: Pair | undefined
/** Connected to the processor; paying for the live ones is asked for by the witness. */
const aLivePair = async (): Promise<Pair> => {
  livePair = await aPair(observer, 'live')
  for (const { uuid } of [livePair.issuer, livePair.counterparty]) {
    const ends = { customer: 'cus_x', paymentMethods: '{"USD":"pm_usd"}', payout: 'acct_x' }
    await connectProcessor(observer.database, uuid, ends)
  }
  return livePair
}

const preparedCase = async ({ mode, before }: CommitPoint): Promise<PaymentCase> => {
  const pair = mode === 'live' ? await aLivePair() : await aPair(observer)
  const { id } = await anApprovedInvoice(observer, pair)
  const headers = () => ({ 'idempotency-key': freshIdempotencyKey() })
  if (mode === 'live') await move(observer, pair.counterparty.key, id, 'paid')
  assert([undefined, 200].includes(await before?.(observer, { pair, id, headers: headers() })))
  return { pair, id, headers: headers() }
}

const serviceFor = ({ act }: CommitPoint): Promise<KillableService> =>
  startKillableService(proxy.url, {
    PROCESS_ROLE: act === undefined ? 'worker' : 'api',
    ...fakeStripe.settings(),
  })

interface KillPlan {
  service(): KillableService | undefined
  fault: CommitFault
  isDone(): Promise<boolean>
}

/** Kills the victim at its next COMMIT of a payment; resolves when it is dead. */
const killAtCommit = ({ service, fault, isDone }: KillPlan): Promise<void> =>
  new Promise((resolve, reject) => {
    const kill = () => service()!.kill().then(resolve, reject)
    proxy.onCommit = async (written) => {
      if (!written.has('payments')) return 'pass'
      proxy.onCommit = () => 'pass'
      await until('the victim can be killed', () => service() !== undefined)
      // Dead before PostgreSQL reads the COMMIT, after it has carried it out, or in between.
      if (fault === 'lose the request') await kill()
      else if (fault === 'pass') void kill()
      else void until('the COMMIT is carried out', isDone).then(kill, reject)
      return fault
    }
  })

const faults = ['lose the request', 'lose the answer', 'pass'] as const
const isLong = process.env['LONG'] === '1'

const selectedPoints = commitPoints.filter(
  ({ isOnlyForLong }) => isLong || isOnlyForLong === undefined,
)
selectedPoints.forEach((point, i) => {
  const some = isLong || i === 0 ? faults : [faults[i % faults.length]!]
  for (const fault of some) {
    const title = `kill -9 at the COMMIT (${fault}), ${point.name}: one effect`
    test(title, { timeout: 60_000 }, async () => {
      const { from, to, act, nextDebitStatus: nextDebitStatus = 'processing' } = point
      const made = await preparedCase(point)
      assert.equal(await storedStatus(made.id), from)
      fakeStripe.next = nextDebitStatus
      let service: KillableService | undefined
      const isDone = async () => (await storedStatus(made.id)) === to
      const dead = killAtCommit({ service: () => service, fault, isDone })
      service = await serviceFor(point)
      const first = act?.(service, made).catch(() => undefined)
      await dead
      await first
      // A COMMIT that arrived was carried out, one that did not was not; else either of the two.
      const possible: Record<CommitFault, (string | undefined)[]> = {
        'lose the request': [from],
        'lose the answer': [to],
        pass: [from, to],
      }
      assert(possible[fault].includes(await storedStatus(made.id)))
      await assertAllConsistent()

      service = await serviceFor(point)
      if (act !== undefined) {
        await until('the retry is answered', async () => {
          const status = await act(service!, made).catch(() => undefined)
          return status === 200
        })
      }
      await until('it came to its end', isDone)
      if (point.mode === 'live' && act === undefined) {
        const { payment } = (
          await callApi(observer, 'GET', `/v1/documents/${made.id}`, { key: made.pair.issuer.key })
        ).body
        assert.equal(fakeStripe.ofPayment(payment.id).length, 1)
      }
      await service.kill()
      await assertAllConsistent()
    })
  }
})
