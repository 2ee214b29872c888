/**
 * SIGKILL of a service at each commit point of a payment: before PostgreSQL has the COMMIT, after
 * it, or with the response lost. The test checks the database before the restart. After a restart
 * and a retry there is one effect, the ledger balances, and the document agrees with its payment.
 * `LONG=1` combines every fault with every commit point.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '../../src/startup/keyring.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { assertConsistent } from '../support/database/consistency-auditor.ts'
import { assertLedger } from '../support/payments/ledger-auditor.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { connectProcessors } from '../support/payments/payable-documents.ts'
import { type CommitFault, startDatabaseProxy } from '../support/database/database-proxy.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { inDays } from '../support/dates.ts'
import { type Pair, aPair, move } from '../support/fixtures.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { stuckTestAfterMs, until } from '../support/until.ts'
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
// The observer prepares and reads data, but performs no due work.
const observer = await startTestService(
  { SERVER_KEY: killableServerKey, PROCESS_ROLE: 'api', ...fakeStripe.settings() },
  { url: cluster.url() },
)
const keyring = await openKeyring({ serverKey: killableServerKey, dataDir: '' })

const assertAllConsistent = async (): Promise<void> => {
  await assertLedger(observer.database)
  await assertConsistent(observer.database, keyring.history!)
}

/** The stored status of the document's payment. */
const storedStatus = async (id: string) => {
  const rows = await observer.database.rows<{
    status: string
    settlement_reference: string | null
  }>(
    sql`select status, settlement_reference from payments where document_id = ${decodeId('doc', id)!}`,
  )
  assert(rows.length <= 1)
  const [row] = rows
  const isSubmitted = row?.status === 'processing' && row.settlement_reference !== null
  return isSubmitted ? 'submitted to the rail' : row?.status
}

interface PaymentCase {
  pair: Pair
  /** An approved invoice. */
  id: string
  /** The same for every attempt. */
  headers: { 'idempotency-key': string }
}

/** Calls a service and returns the status of the response. */
type PaymentAction = (on: Pick<TestService, 'baseUrl'>, paymentCase: PaymentCase) => Promise<number>

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
  const options = { key: pair.counterparty.key, headers, body }
  return (await callApi(on as TestService, 'POST', `/v1/documents/${id}/transition`, options))
    .status
}
const advanceClock =
  (advance_by: string): PaymentAction =>
  async (on, { pair, headers }) => {
    const options = { key: pair.counterparty.key, headers, body: { advance_by } }
    return (await callApi(on as TestService, 'POST', '/v1/sandbox/clock', options)).status
  }
const deliverStripeEvent: PaymentAction = async (on, { id }) => {
  const { key } = livePair!.counterparty
  const { payment } = (await callApi(observer, 'GET', `/v1/documents/${id}`, { key })).body
  const object = {
    id: `pi_${payment.id}`,
    object: 'payment_intent',
    amount: payment.amount * 100,
    currency: 'usd',
    metadata: { payment_id: payment.id },
  }
  const more = { id: `evt_${payment.id}` }
  const { payload, header } = fakeStripe.signedEvent('payment_intent.succeeded', object, more)
  const response = await fetch(`${on.baseUrl}/processors/stripe/webhooks`, {
    method: 'POST',
    body: payload,
    headers: { 'stripe-signature': header, 'content-type': 'application/json' },
  })
  return response.status
}

interface CommitPoint {
  name: string
  mode?: 'live'
  /** Prepares the case through the observer. */
  before?: PaymentAction
  /** Calls the service that is killed; absent if a worker acts by itself. */
  act?: PaymentAction
  /** The stored status without the COMMIT, and with it. */
  from: string | undefined
  to: string
  /** The status that the fake Stripe gives a new debit. */
  nextDebitStatus?: string
  /** Similar to another commit point. */
  isOnlyForLong?: true
}

const commitPoints: CommitPoint[] = [
  { name: 'that settles at once', act: payFrom('acct_test_ok'), from: undefined, to: 'settled' },
  {
    name: 'that settles later',
    before: payFrom('acct_test_async'),
    act: advanceClock('PT60S'),
    from: 'processing',
    to: 'settled',
    isOnlyForLong: true,
  },
  {
    name: 'that starts processing',
    act: payFrom('acct_test_async'),
    from: undefined,
    to: 'processing',
    isOnlyForLong: true,
  },
  {
    name: 'that is scheduled',
    act: schedulePayment,
    from: undefined,
    to: 'scheduled',
    isOnlyForLong: true,
  },
  {
    name: 'that starts on its scheduled day',
    before: schedulePayment,
    act: advanceClock('P3D'),
    from: 'scheduled',
    to: 'settled',
    isOnlyForLong: true,
  },
  {
    name: 'that fails later',
    before: payFrom('acct_test_account_closed'),
    act: advanceClock('PT2S'),
    from: 'processing',
    to: 'failed',
    isOnlyForLong: true,
  },
  {
    name: 'that is returned',
    before: payFrom('acct_test_return'),
    act: advanceClock('P2D'),
    from: 'settled',
    to: 'returned',
  },
  {
    name: 'that is submitted to the live rail',
    mode: 'live',
    from: 'processing',
    to: 'submitted to the rail',
  },
  {
    name: 'that the live rail settles at once',
    mode: 'live',
    from: 'processing',
    to: 'settled',
    nextDebitStatus: 'succeeded',
    isOnlyForLong: true,
  },
  {
    name: 'that an event of the live rail settles',
    mode: 'live',
    act: deliverStripeEvent,
    from: 'processing',
    to: 'settled',
    isOnlyForLong: true,
  },
]

let livePair: Pair | undefined
/** Creates a live pair that is connected to the processor. */
const aLivePair = async (): Promise<Pair> => {
  livePair = await aPair(observer, 'live')
  await connectProcessors(observer, livePair)
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

/** Kills the service at its next COMMIT of a payment; resolves when it has exited. */
const killAtCommit = ({ service, fault, isDone }: KillPlan): Promise<void> =>
  new Promise((resolve, reject) => {
    const kill = () => service()!.kill().then(resolve, reject)
    proxy.onCommit = async (written) => {
      if (!written.has('payments')) return 'pass'
      proxy.onCommit = () => 'pass'
      await until('the service can be killed', () => service() !== undefined)
      // Kills before PostgreSQL reads the COMMIT, after it has committed, or in between.
      if (fault === 'lose the request') await kill()
      else if (fault === 'pass') void kill()
      else void until('the transaction is committed', isDone).then(kill, reject)
      return fault
    }
  })

const faults = ['lose the request', 'lose the response', 'pass'] as const
const isLong = process.env['LONG'] === '1'

const selectedPoints = commitPoints.filter(
  ({ isOnlyForLong }) => isLong || isOnlyForLong === undefined,
)
selectedPoints.forEach((point, i) => {
  const selectedFaults = isLong ? faults : [faults[i % faults.length]!]
  for (const fault of selectedFaults) {
    const title = `SIGKILL at the COMMIT (${fault}) of a payment ${point.name} leaves one effect`
    test(title, { timeout: stuckTestAfterMs }, async () => {
      const { from, to, act, nextDebitStatus = 'processing' } = point
      const paymentCase = await preparedCase(point)
      assert.equal(await storedStatus(paymentCase.id), from)
      fakeStripe.statusOfNewIntents = nextDebitStatus
      let service: KillableService | undefined
      const isDone = async () => (await storedStatus(paymentCase.id)) === to
      const dead = killAtCommit({ service: () => service, fault, isDone })
      service = await serviceFor(point)
      const first = act?.(service, paymentCase).catch(() => undefined)
      await dead
      await first
      // A COMMIT that arrived took effect, a lost one did not, and otherwise either is possible.
      const possible: Record<CommitFault, (string | undefined)[]> = {
        'lose the request': [from],
        'lose the response': [to],
        pass: [from, to],
      }
      assert(possible[fault].includes(await storedStatus(paymentCase.id)))
      await assertAllConsistent()

      service = await serviceFor(point)
      if (act !== undefined) {
        await until('the retry succeeds', async () => {
          const status = await act(service!, paymentCase).catch(() => undefined)
          return status === 200
        })
      }
      await until('the payment is complete', isDone)
      if (point.mode === 'live' && act === undefined) {
        const { payment } = (
          await callApi(observer, 'GET', `/v1/documents/${paymentCase.id}`, {
            key: paymentCase.pair.issuer.key,
          })
        ).body
        assert.equal(fakeStripe.intentsOfPayment(payment.id).length, 1)
      }
      await service.kill()
      await assertAllConsistent()
    })
  }
})
