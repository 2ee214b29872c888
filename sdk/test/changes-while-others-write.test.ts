/**
 * changes() of both SDKs, followed while both sides of a connection write: no change is missed, and
 * none is told twice. LONG=1 makes 10,000 changes of documents, and as many of payments.
 */
import { type TestContext, test } from 'node:test'
import { type TestOrganization, aPair, exampleLine } from '../../test/support/fixtures.ts'
import { anApprovedInvoice } from '../../test/support/payments/approved-invoices.ts'
import { startTestService } from '../../test/support/test-service.ts'
import { stuckTestAfterMs } from '../../test/support/until.ts'
import { Docex } from '../src/index.ts'
import {
  type Swept,
  type Told,
  assertExact,
  haveFollowed,
  sweepsOfPython,
  sweepsOfTypescript,
} from './support/sweeps.ts'

const isLong = process.env['LONG'] === '1'
const { documentRounds, paymentRounds, inFlight, limit } = isLong
  ? { documentRounds: 2_500, paymentRounds: 2_150, inFlight: 8, limit: 50 }
  : { documentRounds: 25, paymentRounds: 9, inFlight: 1, limit: 3 }
const timeout = isLong ? 30 * 60_000 : stuckTestAfterMs

const running = await startTestService()
const pair = await aPair(running)
const reversed = { ...pair, issuer: pair.counterparty, counterparty: pair.issuer }
const settingsOf = ({ key }: TestOrganization) => ({ apiKey: key, baseUrl: running.baseUrl })
const [issuer, counterparty] = [pair.issuer, pair.counterparty].map(
  (side) => new Docex(settingsOf(side)),
) as [Docex, Docex]

/** Makes the changes of one round, and returns how many the reader sees. */
type Round = (round: number) => Promise<number>

/** Writes while both SDKs sweep, and longer if one of them has not begun to follow by then. */
const sweptWhile = async (swept: Swept, rounds: number, writers: readonly Round[]) => {
  const readers = {
    TypeScript: sweepsOfTypescript(issuer, swept, limit),
    Python: sweepsOfPython(settingsOf(pair.issuer), swept, limit),
  }
  const isFollowed = () => Object.values(readers).every(haveFollowed)
  let changes = 0
  const write = async (writer: Round) => {
    let begun = 0
    const chain = async () => {
      while (begun < rounds || !isFollowed()) {
        const made = await writer((begun += 1))
        changes += made
      }
    }
    await Promise.all(Array.from({ length: inFlight }, chain))
  }
  const startedAt = performance.now()
  await Promise.all(writers.map(write))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  for (const { written } of Object.values(readers)) written()
  await Promise.all(Object.values(readers).map(({ ended }) => ended))
  return { readers, summary: `${changes} changes in ${seconds} s` }
}

const assertSwept = async (
  context: TestContext,
  swept: Swept,
  { readers, summary }: Awaited<ReturnType<typeof sweptWhile>>,
) => {
  const rows: AsyncIterable<Omit<Told, 'since'>> = issuer[swept].list({ limit: 100 })
  const newest = await Array.fromAsync(rows)
  for (const [language, { told }] of Object.entries(readers)) {
    assertExact(told, newest)
    const sweeps = new Set(told.map(({ since }) => since)).size
    context.diagnostic(`${language}: ${told.length} rows in ${sweeps} sweeps`)
  }
  context.diagnostic(`${summary}, of ${newest.length} ${swept}`)
}

const body = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
} as const

test('changes() of documents misses nothing while both sides write', { timeout }, async (t) => {
  /** In our own drafts: created and updated. */
  const ours = async () => {
    const { id } = await issuer.documents.create(body)
    await issuer.documents.update(id, { notes: 'Changed.' })
    return 2
  }
  /** In what the other side sends: issued and cancelled. */
  const theirs = async () => {
    const { id } = await counterparty.documents.create(body)
    await counterparty.documents.issue(id)
    await counterparty.documents.transition(id, { to: 'cancelled' })
    return 2
  }
  await assertSwept(t, 'documents', await sweptWhile('documents', documentRounds, [ours, theirs]))
})

test('changes() of payments misses nothing while both sides pay', { timeout }, async (t) => {
  /** Two payments of an invoice fail, and the third one settles and is returned. */
  const paysAs = (docex: Docex, direction: typeof pair): Round => {
    const payable: string[] = []
    return async (round) => {
      const id = payable.pop() ?? (await anApprovedInvoice(running, direction)).id
      const { payment } = await docex.documents.pay(id, { source_account_id: 'acct_test_stuck' })
      const simulate = (outcome: 'fail' | 'return' | 'settle') =>
        docex.sandbox.payments.simulate(payment!.id, { outcome })
      if (round % 3 === 0) {
        await simulate('settle')
        await simulate('return')
        return 3
      }
      await simulate('fail')
      payable.push(id)
      return 2
    }
  }
  const writers = [paysAs(counterparty, pair), paysAs(issuer, reversed)]
  await assertSwept(t, 'payments', await sweptWhile('payments', paymentRounds, writers))
})
