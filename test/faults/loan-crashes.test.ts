/**
 * SIGKILL of a service at the COMMIT of each step of a loan: before PostgreSQL has the COMMIT,
 * after it, or with the response lost. The step has happened whole or not at all, and after a
 * restart and a retry it has happened once. `LONG=1` combines every fault with every step.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { assertConsistent } from '../support/database/consistency-auditor.ts'
import { type CommitFault, startDatabaseProxy } from '../support/database/database-proxy.ts'
import { type LoanParties, loanParties, loansClient } from '../support/finance/loans.ts'
import { assertLedger } from '../support/payments/ledger-auditor.ts'
import {
  type KillableService,
  killableServerKey,
  startCrashableCluster,
  startKillableService,
} from '../support/processes/killable-processes.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { stuckTestAfterMs, until } from '../support/until.ts'

const cluster = await startCrashableCluster()
const proxy = await startDatabaseProxy(cluster.loopbackUrl())
// The observer prepares and reads data, but performs no due work.
const observer = await startTestService(
  { SERVER_KEY: killableServerKey, PROCESS_ROLE: 'api' },
  { url: cluster.url() },
)
const keyring = await openKeyring({ serverKey: killableServerKey, dataDir: '' })
const loans = loansClient(observer)

interface LoanCase {
  parties: LoanParties
  listing: string
  /** The call during whose COMMIT the service dies. */
  call: { key: string; path: string; body: object }
}

interface LoanStep {
  name: string
  prepare(parties: LoanParties): Promise<Omit<LoanCase, 'parties'>>
  from: string
  to: string
  /** Similar to another step. */
  isOnlyForLong?: true
}

const pledgeOf = (agreement: string | null, status: string, pledges: number) =>
  `${agreement ?? 'no agreement'}, ${status}, ${pledges} active`

const steps: readonly LoanStep[] = [
  {
    name: 'an acceptance',
    prepare: async (parties) => {
      const offer = await loans.offered(parties)
      const path = `/v1/finance/offers/${offer.id}/accept`
      const body = loans.acceptanceOf(offer)
      return { listing: offer.listing_id, call: { key: parties.borrower.key, path, body } }
    },
    from: pledgeOf(null, 'open', 0),
    to: pledgeOf('accepted 0 0', 'matched', 1),
  },
  {
    name: 'a funding',
    prepare: async (parties) => {
      const { agreement } = await loans.accepted(parties)
      const path = `/v1/documents/${agreement.documents.disbursement_id}/pay`
      return { listing: agreement.listing_id, call: { key: parties.lender.key, path, body: {} } }
    },
    from: pledgeOf('accepted 0 0', 'matched', 1),
    to: pledgeOf('funded 1025000 0', 'matched', 1),
  },
  {
    name: 'a sweep',
    prepare: async (parties) => {
      const { pledged_document_id: invoice, listing_id } = await loans.funded(parties)
      const path = `/v1/documents/${invoice}/pay`
      return { listing: listing_id, call: { key: parties.debtor.key, path, body: {} } }
    },
    from: pledgeOf('funded 1025000 0', 'matched', 1),
    to: pledgeOf('closed 0 1025000', 'matched', 0),
  },
  {
    name: 'an early repayment',
    prepare: async (parties) => {
      const { id, listing_id } = await loans.funded(parties)
      const path = `/v1/finance/agreements/${id}/repayment`
      return { listing: listing_id, call: { key: parties.borrower.key, path, body: {} } }
    },
    from: pledgeOf('funded 1025000 0', 'matched', 1),
    to: pledgeOf('closed 0 1025000', 'matched', 0),
    isOnlyForLong: true,
  },
  {
    name: 'a withdrawal',
    prepare: async (parties) => {
      const { agreement } = await loans.accepted(parties)
      const path = `/v1/finance/agreements/${agreement.id}/withdraw`
      return { listing: agreement.listing_id, call: { key: parties.lender.key, path, body: {} } }
    },
    from: pledgeOf('accepted 0 0', 'matched', 1),
    to: pledgeOf('closed 0 0', 'matched', 0),
    isOnlyForLong: true,
  },
]

/** What the tables say of the loan. */
const stored = async (listing: string): Promise<string> => {
  const id = decodeId('lst', listing)!
  const rows = await observer.database.rows<Record<string, string | null>>(sql`
    select l.status, a.status || ' ' || a.amount_owed || ' ' || a.amount_repaid as agreement,
      (select count(*) from finance_pledges p
        where p.agreement_id = a.id and p.is_active)::text as pledges
    from finance_listings l left join finance_agreements a on a.listing_id = l.id
    where l.id = ${id}`)
  assert.equal(rows.length, 1, 'one agreement at most')
  const [{ agreement, status, pledges }] = rows as [Record<string, string | null>]
  return pledgeOf(agreement!, status!, Number(pledges))
}

/** Kills the service at its next COMMIT of a loan; resolves when it has exited. */
const killAtCommit = (
  service: KillableService,
  fault: CommitFault,
  isDone: () => Promise<boolean>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const kill = () => service.kill().then(resolve, reject)
    proxy.onCommit = async (written) => {
      if (!written.has('finance_agreements')) return 'pass'
      proxy.onCommit = () => 'pass'
      if (fault === 'lose the request') await kill()
      else if (fault === 'pass') void kill()
      else void until('the transaction is committed', isDone).then(kill, reject)
      return fault
    }
  })

const assertAllConsistent = async (): Promise<void> => {
  await assertLedger(observer.database)
  await assertConsistent(observer.database, keyring.history!)
}

/** Each event is told once, to both parties, whatever was repeated. */
const assertToldOnce = async ({ parties, listing }: LoanCase): Promise<void> => {
  const { data } = await loans.found(parties.borrower.key, '/v1/finance/agreements')
  const [agreement] = data.filter((one: { listing_id: string }) => one.listing_id === listing)
  for (const { key } of [parties.borrower, parties.lender]) {
    const types = await loans.eventTypesOf(key, agreement.documents.agreement_id)
    const told = types.filter((type) => type.startsWith('finance'))
    assert.equal(new Set(told).size, told.length, told.join())
  }
  const path = `/v1/finance/agreements/${agreement.id}/repayment`
  const { payments } = await loans.found(parties.lender.key, path)
  assert(payments.length <= 1, 'nothing is paid twice')
}

const faults = ['lose the request', 'lose the response', 'pass'] as const
const isLong = process.env['LONG'] === '1'

const selected = steps.filter(({ isOnlyForLong }) => isLong || isOnlyForLong === undefined)
selected.forEach(({ name, prepare, from, to }, i) => {
  for (const fault of isLong ? faults : [faults[i % faults.length]!]) {
    test(
      `SIGKILL at the COMMIT (${fault}) of ${name} leaves one effect`,
      { timeout: stuckTestAfterMs },
      async () => {
        const parties = await loanParties(observer)
        const loanCase: LoanCase = { parties, ...(await prepare(parties)) }
        const { listing, call } = loanCase
        assert.equal(await stored(listing), from)
        const headers = { 'idempotency-key': freshIdempotencyKey() }
        const send = ({ baseUrl }: KillableService): Promise<Reply> =>
          callApi({ baseUrl } as TestService, 'POST', call.path, { ...call, headers })
        const first = await startKillableService(proxy.url, { PROCESS_ROLE: 'api' })
        const isDone = async () => (await stored(listing)) === to
        const dead = killAtCommit(first, fault, isDone)
        const lost = send(first).catch(() => undefined)
        await dead
        await lost
        // A COMMIT that arrived took effect, a lost one did not, and otherwise either is possible.
        const possible = { 'lose the request': [from], 'lose the response': [to], pass: [from, to] }
        assert(possible[fault].includes(await stored(listing)))
        await assertAllConsistent()

        const second = await startKillableService(proxy.url, { PROCESS_ROLE: 'api' })
        await until('the retry succeeds', async () => {
          const reply = await send(second).catch(() => undefined)
          return reply !== undefined && reply.status < 300
        })
        assert.equal(await stored(listing), to)
        await assertToldOnce(loanCase)
        await second.kill()
        await assertAllConsistent()
      },
    )
  }
})
