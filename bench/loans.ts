/**
 * Loans: accepts offers that were made beforehand, and pays invoices that secure a loan, whose
 * proceeds are swept. Borrower and lender of each loan are the two organizations of one pair.
 */
import { randomBytes } from 'node:crypto'
import { encodeId } from '../src/core/ids.ts'
import { mintKey } from '../src/core/identity/credentials.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { acceptanceScript, listOpenOffers } from './acceptance-rows.ts'
import { type BenchTools, type Compare, load, request, startServer } from './bench-server.ts'
import { seedAccounts, insertApprovedInvoices } from './payments.ts'
import { pgbench } from './pgbench.ts'
import { sealSeededRows } from './seal-rows.ts'
import { idOf, pairs } from './seed.ts'

interface LoanWorkload {
  databaseUrl: string
  /** Empties the tables; returns keys of the lenders, who owe the invoices as well, by pair. */
  seedAgain(): Promise<string[]>
  sample: { content: string }
  rounds: number
  /** The length of one round. */
  seconds: number
}

/** More than is accepted or paid per pair in a second. */
const acceptedPerSecond = 12
const pledgedPerSecond = 13
const paidPerSecond = 28
/** How many offers each client of pgbench accepts in a round, per second that ours has. */
const limitPerSecond = 40
const limitClients = 12

interface Offer {
  id: string
  pair: number
  digest: string
}

export const compareLoans = async (
  db: Connection,
  workload: LoanWorkload,
  { compare, isSelected }: BenchTools,
): Promise<void> => {
  if (!['finance.accept', 'documents.pay.pledged'].some((name) => isSelected(name))) return
  const lenders = await workload.seedAgain()
  const borrowers = await seedBorrowers(db, lenders)
  const server = await startServer(workload.databaseUrl)
  const bench = new LoanBench(server.port, workload, { lenders, borrowers })
  if (isSelected('documents.pay.pledged')) await comparePledged(db, bench, compare)
  // Last, since what pgbench writes has no seals.
  if (isSelected('finance.accept')) await compareAcceptances(db, bench, compare)
  await server.stop()
}

/** Each offer can be accepted once, so each round has its own. */
const compareAcceptances = async (
  db: Connection,
  bench: LoanBench,
  compare: Compare,
): Promise<void> => {
  const { rounds, seconds, databaseUrl } = bench.workload
  const part = acceptedPerSecond * seconds * pairs
  const limitPart = limitPerSecond * seconds
  const offers = await bench.offers(db, part * (rounds + 1) + limitPart * limitClients * rounds + 1)
  const requestsOf = (round: number) =>
    byPair(offers.slice(round * part, (round + 1) * part), (offer) => bench.acceptanceOf(offer))
  await bench.load(requestsOf(rounds), 201)
  const sample = offers.at(-1)!
  const accepted = await bench.accept(sample)
  await listOpenOffers(
    db,
    offers.slice((rounds + 1) * part, -1).map(({ id }) => id),
  )
  const script = await acceptanceScript(db, accepted, limitPart)
  // As autovacuum does within a minute: plans were made while the tables of loans were empty.
  await db.script('analyze')
  let [round, base] = [0, 0]
  await compare(
    'finance.accept',
    '/s',
    () => bench.load(requestsOf(round++), 201),
    async () => {
      const set = [`base=${limitPart * limitClients * base++}`, 'k=0']
      const options = { clients: limitClients, transactionsPerClient: limitPart, set }
      return (await pgbench(databaseUrl, script, options)).perSecond
    },
  )
}

/** The same call by the same payers, with a loan to be swept into and without one. */
const comparePledged = async (
  db: Connection,
  bench: LoanBench,
  compare: Compare,
): Promise<void> => {
  const { rounds, seconds } = bench.workload
  const pledged = await bench.offers(db, pledgedPerSecond * seconds * pairs * (rounds + 1))
  await inParallel(pledged, async (offer) => {
    const { documents } = await bench.accept(offer)
    await bench.post(bench.lenders[offer.pair]!, payPath(documents.disbursement.id), {}, 200)
  })
  const plain = await bench.invoices(db, paidPerSecond * seconds * pairs * (rounds + 1))
  const payer = (invoices: readonly Invoice[]) => async (round: number) => {
    const part = invoices.length / (rounds + 1)
    const own = invoices.slice(round * part, (round + 1) * part)
    const requests = byPair(own, ({ id, pair }) =>
      request('POST', payPath(id), bench.lenders[pair]!),
    )
    return bench.load(requests, 200)
  }
  const ours = payer(pledged.map(({ invoice, pair }) => ({ id: invoice, pair })))
  const limit = payer(plain)
  await ours(rounds)
  await limit(rounds)
  let [round, other] = [0, 0]
  await compare(
    'documents.pay.pledged',
    '/s',
    () => ours(round++),
    () => limit(other++),
  )
}

const payPath = (id: string): string => `/v1/documents/${id}/pay`

const byPair = <T extends { pair: number }>(
  items: readonly T[],
  requestOf: (item: T) => string,
): string[][] =>
  Array.from({ length: pairs }, (_, pair) =>
    items.filter((item) => item.pair === pair).map(requestOf),
  )

interface Invoice {
  id: string
  pair: number
}

/** Accounts with money, keys that pay, and both roles for every organization that has a key. */
const seedBorrowers = async (db: Connection, lenders: readonly string[]): Promise<string[]> => {
  const now = new Date().toISOString()
  await seedAccounts(db)
  await db.run(sql`
    insert into ledger_account (id, mode, organization_id, currency, code, normal, status, posted,
      pending_debit, pending_credit, overdraft, created_at, seal)
    select md5('funding' || organization_id)::uuid, mode, organization_id, currency, 'funding',
      normal, status, posted, 0, 0, 0, created_at, ''
    from ledger_account where code = 'settlement'`)
  await db.run(sql`
    update keys set scopes = scopes || array['payments:write'], seal = ''
    where not 'payments:write' = any(scopes)`)
  const keys = lenders.map(() => mintKey('test', randomBytes(64)))
  for (const [i, { key, prefix }] of keys.entries()) {
    const scopes = ['documents:read', 'documents:write', 'payments:write']
    await db.run(sql`
      insert into keys (id, organization_id, mode, name, hash, prefix, scopes, root_id, created_by,
        created_at, seal)
      select ${idOf(`borrower${i}`)}, ${idOf(`counterparty${i + 1}`)}, 'test', 'bench',
        ${db.seals.credentialMac(key)}, ${prefix}, ${scopes}, ${idOf(`borrower${i}`)}, id, ${now}, ''
      from users limit 1`)
  }
  await db.run(sql`
    insert into finance_setups (organization_id, mode, borrower_enabled, settlement_account,
      lender_enabled, funding_account, updated_at, seal)
    select organization_id, 'test', true, md5('account' || organization_id)::uuid, true,
      md5('funding' || organization_id)::uuid, ${now}, ''
    from keys group by organization_id`)
  await sealSeededRows(db)
  return keys.map(({ key }) => key)
}

class LoanBench {
  readonly lenders: string[]
  readonly borrowers: string[]
  readonly workload: LoanWorkload
  readonly #port: number
  #invoices = 0

  constructor(
    port: number,
    workload: LoanWorkload,
    keys: Record<'lenders' | 'borrowers', string[]>,
  ) {
    this.#port = port
    this.workload = workload
    this.lenders = keys.lenders
    this.borrowers = keys.borrowers
  }

  /** Approved invoices that their borrowers have issued to the lenders, in turn. */
  async invoices(db: Connection, count: number): Promise<Invoice[]> {
    const from = this.#invoices + 1
    this.#invoices += count
    await insertApprovedInvoices(db, {
      name: 'loan',
      from,
      to: this.#invoices,
      content: this.workload.sample.content,
      pair: sql`1 + n % ${pairs}::int`,
    })
    await sealSeededRows(db)
    await db.script('analyze')
    return Array.from({ length: count }, (_, i) => ({
      id: encodeId('doc', idOf(`loan${from + i}`)),
      pair: (from + i) % pairs,
    }))
  }

  async offers(db: Connection, count: number): Promise<(Offer & { invoice: string })[]> {
    const terms = { principal: 400, fee: { type: 'bps', value: 250 }, grace_days: 7 }
    return inParallel(await this.invoices(db, count), async ({ id: invoice, pair }) => {
      const [borrower, lender] = [this.borrowers[pair]!, this.lenders[pair]!]
      const asked = { document_id: invoice, terms }
      const listing = await this.post(borrower, '/v1/finance/listings', asked)
      const path = `/v1/finance/listings/${listing.id}/offers`
      const { id, standing_authorization } = await this.post(lender, path, { kind: 'at_ask' })
      return { id, pair, invoice, digest: standing_authorization.digest }
    })
  }

  acceptanceOf({ id, pair, digest }: Offer): string {
    const body = JSON.stringify({ authorization_digest: digest })
    return request('POST', acceptPath(id), this.borrowers[pair]!, body)
  }

  accept({ id, pair, digest }: Offer): Promise<Answer> {
    return this.post(this.borrowers[pair]!, acceptPath(id), { authorization_digest: digest })
  }

  async load(requests: string[][], expectedStatus: number): Promise<number> {
    const { seconds } = this.workload
    const options = { port: this.#port, connections: 64, seconds, requests, expectedStatus }
    return (await load(options)).perSecond
  }

  async post(key: string, path: string, body: object, expected = 201): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `bench-${randomBytes(8).toString('hex')}`,
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status !== expected) throw new Error(`${path}: ${text}`)
    return JSON.parse(text)
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- a response
type Answer = any

const acceptPath = (offer: string): string => `/v1/finance/offers/${offer}/accept`

const inParallel = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = []
  const waiting = items.entries()
  const worker = async () => {
    for (const [i, item] of waiting) results[i] = await work(item)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return results
}
