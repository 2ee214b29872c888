/**
 * Provenance 8: an old row with its old seal decides nothing (docs/decisions/0144). Each case takes
 * something away through the API, writes the row of before back, and uses it. What gives access is
 * in old-rows.test.ts, and documents in rolled-back-rows.test.ts.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SealedTable } from '../../src/database/row-seals.ts'
import { decodeId } from '../../src/core/ids.ts'
import type { Reply } from '../support/api-client.ts'
import { copyRows, idIs } from '../support/database/old-rows.ts'
import { loanParties, loansClient } from '../support/finance/loans.ts'
import { aPair } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ SANDBOX_QUOTAS: 'off' })
const { database, logLines } = running
const loans = loansClient(running)
const { posted, post, get } = loans
const parties = await loanParties(running)
const { borrower, debtor, lender } = parties

interface Prepared {
  /** Of the rows `t` that are copied. */
  condition: string
  change(): Promise<unknown>
  uses: readonly (() => Promise<Reply>)[]
}

interface Case {
  table: SealedTable
  rule: string
  prepare(): Promise<Prepared>
}

const isOf = ({ uuid }: { uuid: string }) => `t.organization_id = '${uuid}'`

/** A verified read says in other words that the row is old. */
const assertNoticed = ({ status, body, text }: Reply, table: SealedTable): void => {
  assert.deepEqual([status, body.error?.code], [500, 'integrity_failure'], text)
  const { incident_id: incident } = body.error.details
  const alarm = logLines.find((line) => line.includes(incident))
  assert.match(alarm ?? '', new RegExp(`${table} [^:]*: an old row|the agreement is an old row`))
}

/** An invoice of 12,500.00 of which 8,500.00 is left, so that the sweep repays a part. */
const aDilutedLoan = async () => {
  const loan = await loans.funded(parties)
  const line = { description: 'Damage', quantity: 1, unit_price: 4000, tax_rate: 0 }
  const body = { document_type: 'credit_note', line_items: [line] }
  const convert = `/v1/documents/${loan.pledged_document_id}/convert`
  const note = await posted(borrower.key, convert, body)
  await posted(borrower.key, `/v1/documents/${note.id}/issue`)
  return loan
}

const cases: readonly Case[] = [
  {
    table: 'finance_agreements',
    rule: 'sweeps one settlement twice',
    prepare: async () => {
      const { id, pledged_document_id: invoice, documents } = await aDilutedLoan()
      const repayment = `/v1/documents/${documents.repayment_id}`
      const path = `/v1/finance/agreements/${id}`
      return {
        condition: idIs(decodeId('agr', id)!),
        change: () => posted(debtor.key, `/v1/documents/${invoice}/pay`),
        uses: [
          () => get(borrower.key, path),
          () => get(lender.key, `${path}/repayment`),
          () => post(borrower.key, `${repayment}/pay`),
          () => post(borrower.key, `${path}/repayment`),
          () => post(lender.key, `${path}/withdraw`),
          () => get(lender.key, `${repayment}/history`),
        ],
      }
    },
  },
  {
    table: 'finance_agreements',
    rule: 'begins again after it was withdrawn',
    prepare: async () => {
      const { agreement } = await loans.accepted(parties)
      const path = `/v1/finance/agreements/${agreement.id}`
      const contract = `/v1/documents/${agreement.documents.agreement_id}`
      return {
        condition: idIs(decodeId('agr', agreement.id)!),
        change: () => posted(lender.key, `${path}/withdraw`),
        uses: [
          () => post(lender.key, `${path}/withdraw`),
          () => get(borrower.key, `${contract}/history`),
        ],
      }
    },
  },
  {
    table: 'ledger_account',
    rule: 'pays with money that was spent',
    prepare: async () => {
      const pair = await aPair(running)
      const [one, other] = [
        await anApprovedInvoice(running, pair),
        await anApprovedInvoice(running, pair),
      ]
      const { key } = pair.counterparty
      return {
        condition: isOf(pair.counterparty),
        change: () => pay(running, key, one.id),
        uses: [() => pay(running, key, other.id)],
      }
    },
  },
]

describe('no old row', () => {
  for (const { table, rule, prepare } of cases) {
    test(`of ${table} ${rule}`, async () => {
      const { condition, change, uses } = await prepare()
      const writeBack = await copyRows(database, table, condition)
      await change()
      await writeBack()
      for (const use of uses) assertNoticed(await use(), table)
    })
  }
})
