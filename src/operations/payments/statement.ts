/** Statements of an account (contract 12): what was posted in a period, between two balances. */
import type { Call } from '../../context.ts'
import { invalidRequest } from '../../contract/errors.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { limits } from '../../contract/limits.ts'
import { Statement, StatementQuery } from '../../contract/shapes/treasury.ts'
import { encodeId } from '../../core/ids.ts'
import { csvRow } from '../../core/interop/csv.ts'
import { recordRow, statementColumns } from '../../core/interop/record-csv.ts'
import { fromMinor } from '../../core/money.ts'
import { camt053End, camt053Entry, camt053Start } from '../../core/payments/camt053.ts'
import type { TransactionRow } from '../../store/payments/ledger-transactions.ts'
import * as ledger from '../../store/payments/ledger.ts'
import * as store from '../../store/payments/statements.ts'
import { organizationClock } from '../../store/sandbox/clocks.ts'
import { checkCount, fileHeaders, inHeavyTurn } from '../downloads.ts'
import { operation } from '../operation.ts'
import { StreamedText } from '../reply-bodies.ts'
import { ownRecord } from '../path-ids.ts'
import { type PaidDocument, paidDocument } from './paid-documents.ts'
import { toAccount, toTransaction } from './treasury.ts'
import { dateOf } from '../../core/dates.ts'

export const statement = operation({
  id: 'treasury.statement',
  method: 'GET',
  path: '/v1/treasury/accounts/{id}/statement',
  family: 'treasury',
  summary: 'Download a statement of an account',
  description: `What was posted from one day to another, in the order of posting: the opening balance and all entries add up to the closing balance. \`camt053\` is camt.053.001.08 of ISO 20022. Entries name the number of their document and the other party. At most ${interopLimits.downloadMaxRows} entries.`,
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['treasury:read'],
  query: StatementQuery,
  response: Statement,
  mediaType: 'text/csv',
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params, query }) => {
  const { format, from, to } = query
  if (from > to) throw outOfRange('The last day is before the first.', 'not before `from`')
  const account = await ownRecord(call, 'acct', params.id, ledger.accountById)
  const { now } = await organizationClock(call.read, call.organization.id)
  if (to > dateOf(now)) {
    throw outOfRange('A balance in the future is not known.', 'not in the future')
  }
  const { mediaType, extension, writerOf } = formats[format]
  const filename = `statement-${account.code}-${account.currency}-${from}-${to}.${extension}`
  return {
    body: new StreamedText<string>(pieces(call, { account, from, to, createdAt: now }, writerOf)),
    headers: fileHeaders(mediaType, filename),
  }
})

const outOfRange = (message: string, allowed: string) =>
  invalidRequest({
    param: 'to',
    code: 'out_of_range',
    message,
    fix: `send a \`to\` that is ${allowed}`,
  })

const manyEntries = {
  param: 'from',
  message: `A statement has at most ${interopLimits.downloadMaxRows} entries, and this period has more.`,
  fix: 'download one part of the period after the other',
}

interface StatementRequest {
  account: ledger.LedgerAccountRow
  /** Days, inclusive. */
  from: string
  to: string
  createdAt: string
}

/** What is known of a statement before its entries. */
interface Head extends StatementRequest {
  call: Call
  opening: bigint
  closing: bigint
}

interface Writer {
  start: string
  entry(row: TransactionRow, paid: PaidDocument): string
  end: string
}

const csvWriter = ({ account, from, to, opening, closing }: Head): Writer => {
  const { currency } = account
  const balanceRow = (type: string, effective_at: string, balance: bigint) =>
    recordRow(
      { type, effective_at, currency, running_balance: fromMinor(balance) },
      statementColumns,
    )
  return {
    start: csvRow(statementColumns) + balanceRow('opening_balance', from, opening),
    entry: (row, paid) => recordRow({ ...toTransaction(row), ...paid }, statementColumns),
    end: balanceRow('closing_balance', to, closing),
  }
}

const camt053Writer = ({ call, account, ...head }: Head): Writer => {
  const { id: accountId, name: accountName, currency } = toAccount(account)
  const messageId = encodeId('req', call.requestId)
  const owner = call.organization.name
  return {
    start: camt053Start({ ...head, messageId, accountId, accountName, owner, currency }),
    entry: (row, { document_number: documentNumber, counterparty }) => {
      const { id, type, payment_id, settlement_reference, effective_at } = toTransaction(row)
      const references = { paymentId: payment_id, reference: settlement_reference, documentNumber }
      const booked = { id, type, amount: row.amount, bookedAt: effective_at }
      const otherParty = counterparty.name
      return camt053Entry({ ...booked, ...references, otherParty }, currency)
    },
    end: camt053End,
  }
}

const formats = {
  csv: { mediaType: 'text/csv; charset=utf-8', extension: 'csv', writerOf: csvWriter },
  camt053: { mediaType: 'application/xml', extension: 'xml', writerOf: camt053Writer },
}

async function* pieces(
  call: Call,
  request: StatementRequest,
  writerOf: (head: Head) => Writer,
): AsyncGenerator<string, void, undefined> {
  const { id } = request.account
  const { opening, closing, resetVersion } = await inHeavyTurn(call, async (by) => {
    const places = await store.statementPlaces(by.read, id, request)
    const all = { account: id, after: places.opening, last: places.closing.version }
    const count = (own: Call, limit: number) => store.countPostings(own.read, { ...all, limit })
    await checkCount(by, count, manyEntries)
    return places
  })
  const balances = { opening: opening.balance, closing: closing.balance }
  const writer = writerOf({ call, ...request, ...balances })
  let text = writer.start
  let after = opening
  while (after.version !== closing.version) {
    const page = { account: id, after, last: closing.version, limit: limits.pageMax, resetVersion }
    const rows = await inHeavyTurn(call, (by) => store.postingsAfter(by.read, page))
    const paid = await Promise.all(rows.map(({ document_id }) => paidDocument(call, document_id)))
    yield text + rows.map((row, i) => writer.entry(row, paid[i]!)).join('')
    text = ''
    const { posted_version, running_balance } = rows.at(-1)!
    after = { version: posted_version!, balance: running_balance! }
  }
  yield text + writer.end
}
