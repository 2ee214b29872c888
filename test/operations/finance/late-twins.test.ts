/**
 * A pledged invoice also inherits from those that are credited or cancelled after it was pledged
 * (domain 5.6).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { type Reply, postWhenFree } from '../../support/api-client.ts'
import { openTestConnection } from '../../support/database/test-connection.ts'
import { anInvoice, move } from '../../support/fixtures.ts'
import { idsOf } from '../../support/finance/loan-steps.ts'
import {
  type LoanParties,
  askedTerms,
  loanParties,
  loansClient,
} from '../../support/finance/loans.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted, post, found } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

const withReference = (issuer_ref: string) => ({ external_refs: { issuer_ref } })

const refersTo = (issuer_ref: string, document_id: string, rel = 'supersedes') => ({
  ...withReference(issuer_ref),
  references: [{ rel, document_id }],
})

const creditInFull = async (invoice: string): Promise<void> => {
  const body = { document_type: 'credit_note' }
  const note = await posted(borrower.key, `/v1/documents/${invoice}/convert`, body)
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
}

const list = (document_id: string) =>
  postWhenFree(running, '/v1/finance/listings', {
    key: borrower.key,
    body: { document_id, terms: askedTerms },
  })

const assertPledged = async (invoiceFields: object): Promise<void> => {
  const { id } = await loans.invoice(parties, invoiceFields)
  const details = assertRefused(await list(id), 'conflict')
  assert.deepEqual(details, { reason: 'already_pledged', document_id: id })
}

const accept = (offer: { id: string }) =>
  post(borrower.key, `/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer))

test('domain 5.6: a pledged invoice inherits from one that is credited later', async () => {
  const first = await loans.invoice(parties, withReference('Mill 1'))
  const { agreement } = await loans.accepted(parties, {}, refersTo('Mill 2', first.id))
  const listed = await loans.offered(parties, {}, refersTo('Mill 3', first.id))
  await creditInFull(first.id)
  await assertPledged(refersTo('Mill 4', first.id))
  await assertPledged(refersTo('Mill 5', first.id, 'relates_to'))
  // So does one that is called like it, and one that was listed before.
  await assertPledged(withReference('mill 001'))
  assertRefused(await accept(listed), 'conflict', 'already_pledged')
  await loans.listed(parties, {}, withReference('Mill 6'))

  await posted(lender.key, `/v1/finance/agreements/${agreement.id}/withdraw`)
  assert.equal((await accept(listed)).status, 201, 'the pledge has ended')
})

test('domain 5.6: it inherits from one that is cancelled or rejected later, too', async () => {
  for (const [key, to] of [
    [borrower.key, 'cancelled'],
    [debtor.key, 'rejected'],
  ] as const) {
    const { id } = await anInvoice(running, parties.trade)
    await loans.accepted(parties, {}, refersTo(`Kiln ${to} 1`, id))
    await move(running, key, id, to)
    await assertPledged(refersTo(`Kiln ${to} 2`, id))
  }
})

test('domain 5.6: it inherits through an invoice that replaces another one in turn', async () => {
  const first = await loans.invoice(parties, withReference('Dock 1'))
  const second = await loans.invoice(parties, refersTo('Dock 2', first.id))
  await loans.accepted(parties, {}, refersTo('Dock 3', second.id))
  await creditInFull(first.id)
  await list((await loans.invoice(parties, refersTo('Dock 4', first.id))).id)
  await creditInFull(second.id)
  await assertPledged(refersTo('Dock 5', first.id))
})

test('domain 5.6: invoices that replace two others apart are no twins of each other', async () => {
  const [one, two] = [
    await loans.invoice(parties, withReference('Pier 1')),
    await loans.invoice(parties, withReference('Pier 2')),
  ]
  const references = [one, two].map(({ id }) => ({ rel: 'supersedes', document_id: id }))
  await loans.invoice(parties, { ...withReference('Pier 3'), references })
  await loans.accepted(parties, {}, refersTo('Pier 4', one.id))
  await creditInFull(one.id)
  await creditInFull(two.id)
  await loans.listed(parties, {}, refersTo('Pier 5', two.id))
  await assertPledged({ ...withReference('Pier 6'), references })
})

test('domain 5.6: a pledge that was deleted in the database is missed by what inherits', async () => {
  const first = await loans.invoice(parties, withReference('Lock 1'))
  const { agreement } = idsOf(await loans.accepted(parties, {}, refersTo('Lock 2', first.id)))
  await creditInFull(first.id)
  await running.database.run(
    sql`delete from finance_pledges where agreement_id = ${decodeId('agr', agreement)!}`,
  )
  const { id } = await loans.invoice(parties, refersTo('Lock 3', first.id))
  const reply = await list(id)
  assert.deepEqual([reply.status, reply.body.error.code], [500, 'integrity_failure'])
})

test('domain 5.6: an invoice that was changed in the database is not inherited from', async () => {
  const first = await loans.invoice(parties, withReference('Weir 1'))
  await loans.accepted(parties, {}, refersTo('Weir 2', first.id))
  await creditInFull(first.id)
  const twins = [
    await loans.invoice(parties, refersTo('Weir 3', first.id)),
    await loans.invoice(parties, withReference('Weir 1')),
  ]
  await running.database.run(
    sql`update documents set content = '{' where id = ${decodeId('doc', first.id)!}`,
  )
  for (const { id } of twins) {
    const reply = await list(id)
    assert.deepEqual([reply.status, reply.body.error.code], [500, 'integrity_failure'])
  }
})

type Calls = readonly (() => Promise<Reply>)[]

const atOnce = (_: LoanParties, calls: Calls): Promise<Reply[]> =>
  Promise.all(calls.map((call) => call()))

const lockWaiters = sql`select from pg_stat_activity where datname = current_database()
  and application_name like 'docex lane%' and wait_event_type = 'Lock'`

/** In this order, while another write of the borrower waits, so that they share the next batch. */
const inOneBatch = async (own: LoanParties, calls: Calls): Promise<Reply[]> => {
  const { key, uuid } = own.borrower
  const other = await loans.invoice(own)
  const foreign = await openTestConnection(running.databaseUrl)
  await foreign.run(sql`begin`)
  await foreign.run(sql`
    select from organization_counters where organization_id = ${uuid} for no key update`)
  const waiting = post(key, '/v1/finance/listings', { document_id: other.id, terms: askedTerms })
  await until('a write waits', async () => (await running.database.rows(lockWaiters)).length > 0)
  const pending: Promise<Reply>[] = []
  for (const call of calls) {
    pending.push(call())
    await found(key, '/v1/finance/listings')
  }
  await foreign.run(sql`rollback`)
  await foreign.close()
  assert.equal((await waiting).status, 201)
  return Promise.all(pending)
}

/** Two invoices refer to one that is credited while they are pledged. */
const raceWithCredit = async (order: readonly number[], race: typeof atOnce): Promise<void> => {
  const own = await loanParties(running)
  const { key } = own.borrower
  const first = await loans.invoice(own, withReference('Quay 1'))
  const offers = [
    await loans.offered(own, {}, refersTo('Quay 2', first.id)),
    await loans.offered(own, {}, refersTo('Quay 3', first.id)),
  ]
  const path = `/v1/documents/${first.id}/convert`
  const note = await posted(key, path, { document_type: 'credit_note' })
  const accepting = (offer: (typeof offers)[number]) => () =>
    post(key, `/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer))
  const issuing = () => post(key, `/v1/documents/${note.id}/issue`)
  const calls = [accepting(offers[0]), accepting(offers[1]), issuing]
  const replies = await race(
    own,
    order.map((i) => calls[i]!),
  )
  const issued = replies[order.indexOf(2)]!
  assert.equal(issued.status, 200, issued.text)
  const { data } = await found(key, '/v1/events?limit=100')
  const told = data.toReversed().map(({ type, data: { document } }: Reply['body']): string => {
    if (type === 'finance.agreement.accepted') return 'pledged'
    return document.id === first.id && document.amount_credited > 0 ? 'credited' : ''
  })
  const steps: string[] = told.filter((step: string) => step !== '')
  const since = steps.slice(steps.indexOf('credited'))
  const [all, late] = [steps, since].map((some) => some.filter((step) => step === 'pledged').length)
  assert(all! > 0, 'one of them is pledged')
  assert(all === 1 || late === 0, steps.join(', '))
}

const rounds = process.env['LONG'] === '1' ? 50 : 2

test('domain 5.6: whatever comes first, no second twin is pledged after the credit', async () => {
  const [first, second, credit] = [0, 1, 2]
  const orders = [
    [first, second, credit],
    [first, credit, second],
    [credit, first, second],
  ]
  for (const order of orders) await raceWithCredit(order, inOneBatch)
  for (let round = 0; round < rounds; round += 1)
    await raceWithCredit([first, credit, second], atOnce)
})
