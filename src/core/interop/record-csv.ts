/**
 * Records of the API as CSV. A column is a field of the record, and its name in the header the path
 * to it, as in the parameter `fields`; numbers are amounts, with the digits of their currency.
 */
import { majorText } from '../money.ts'
import { csvRow } from './csv.ts'

export type Columns = readonly string[]

/** One row of a record, whose absent fields are empty. */
export const recordRow = (record: unknown, columns: Columns): string =>
  csvRow(columns.map((column) => cellText(fieldAt(record, column.split('.')))))

const fieldAt = (record: unknown, path: readonly string[]): unknown => {
  let value: unknown = record
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value
}

const cellText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  return typeof value === 'number' ? majorText(value) : String(value as string | boolean)
}

// Columns only get added at the end.

export const documentColumns: Columns = [
  'id',
  'document_type',
  'number',
  'issuer_number',
  'direction',
  'label',
  'status',
  'phase',
  'document_date',
  'due_date',
  'connection_id',
  'issuer.name',
  'counterparty.name',
  'currency',
  'subtotal',
  'tax',
  'total',
  'amount_paid',
  'amount_credited',
  'balance_due',
  'overdue',
  'payment_terms',
  'notes',
  'external_refs.issuer_ref',
  'issued_at',
  'created_at',
  'updated_at',
  'valid_until',
]

export const paymentColumns: Columns = [
  'id',
  'kind',
  'direction',
  'status',
  'amount',
  'currency',
  'document_id',
  'connection_id',
  'method',
  'rail',
  'source_account_id',
  'destination_account_id',
  'scheduled_for',
  'settlement_reference',
  'failure.code',
  'failure.message',
  'triggered_by_payment_id',
  'agreement_id',
  'created_at',
  'processing_at',
  'settled_at',
  'failed_at',
  'returned_at',
  'updated_at',
  'document_number',
  'counterparty.name',
]

/** The first and the last row of a statement are its balances. */
export const statementColumns: Columns = [
  'type',
  'effective_at',
  'amount',
  'currency',
  'running_balance',
  'document_number',
  'id',
  'document_id',
  'payment_id',
  'payment_kind',
  'settlement_reference',
  'counterparty.name',
]
