/** Documents as they are read: one by id, and pages of a viewer's list. */
import { type Session, raw, sql } from '../sql.ts'
import { columnArray } from './arrays.ts'
import type { Rows } from './rows.ts'

/** The columns that a projection needs: no provenance, no counters. */
export const projectedColumns = raw(
  [
    'id',
    'connection_id',
    'issuer_id',
    'counterparty_id',
    'type',
    'status',
    'origin',
    'revision',
    'issuer_number',
    'counterparty_number',
    'due_date',
    'total',
    'amount_paid',
    'amount_credited',
    'content',
    'metadata',
    'dispute',
    'issued_at',
    'created_at',
    'updated_at',
  ]
    .map((column) => `d.${column}`)
    .join(', '),
)

export type ReadDocument = Pick<
  Rows['documents'],
  | 'id'
  | 'connection_id'
  | 'issuer_id'
  | 'counterparty_id'
  | 'type'
  | 'status'
  | 'origin'
  | 'revision'
  | 'issuer_number'
  | 'counterparty_number'
  | 'due_date'
  | 'total'
  | 'amount_paid'
  | 'amount_credited'
  | 'content'
  | 'metadata'
  | 'dispute'
  | 'issued_at'
  | 'created_at'
  | 'updated_at'
>

export interface DocumentKey {
  id: string
  organization: string
}

/** The documents that their askers may see, each at the place of its key. */
export const documentsFor = async (
  session: Session,
  keys: readonly DocumentKey[],
): Promise<(ReadDocument | undefined)[]> => {
  const ids = keys.map((key) => key.id)
  const askers = keys.map((key) => key.organization)
  const rows = await session.rows<ReadDocument & { asked: bigint }>(sql`
    select u.asked, ${projectedColumns}
    from unnest(${columnArray('uuid', ids)}::uuid[], ${columnArray('uuid', askers)}::uuid[])
      with ordinality u (id, organization_id, asked)
    join documents d on d.id = u.id and (d.issuer_id = u.organization_id
      or (d.counterparty_id = u.organization_id and d.issued_at is not null))`)
  const found: (ReadDocument | undefined)[] = Array.from({ length: keys.length })
  for (const row of rows) found[Number(row.asked) - 1] = row
  return found
}

/** Whether the document belongs to the same owner's organization in the other mode (contract 11). */
export const isOwnInOtherMode = async (
  session: Session,
  { id, organization }: DocumentKey,
): Promise<boolean> => {
  const rows = await session.rows(sql`
    select 1 from documents d
    join organizations o on o.id = d.issuer_id or (o.id = d.counterparty_id and d.issued_at is not null)
    join organizations c on c.id = ${organization}
    where d.id = ${id} and (o.sandbox_of = c.id or c.sandbox_of = o.id)`)
  return rows.length > 0
}
