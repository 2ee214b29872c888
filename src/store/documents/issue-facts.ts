/** What decides whether drafts can be issued, besides the drafts: for readers, who lock nothing. */
import { columnArray } from '../../database/binary-arrays.ts'
import { type WithOrdinal, inKeyOrder } from '../../database/batch-loader.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal, orBrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

/** In the order of the ids. One that is gone is a broken seal too, since none is ever deleted. */
export const connectionsById = async (
  db: Queryable,
  ids: readonly string[],
): Promise<(Rows['connections'] | BrokenSeal)[]> => {
  const rows = await db.rows<WithOrdinal & { connection: string }>(sql`
    select u.ordinal::int, ${packedRow('connections', 't')} as connection
    from unnest(${columnArray('uuid', ids)}::uuid[]) with ordinality u (id, ordinal)
    join connections t on t.id = u.id`)
  const found = inKeyOrder(rows, ids.length, ({ connection }) => connection)
  return found.map((packed, i) => {
    if (packed === undefined) return new BrokenSeal('connections', ids[i]!)
    return orBrokenSeal(() => unpackRow(db.seals, 'connections', packed))
  })
}

export type SourceRow = Pick<
  Rows['documents'],
  | ('id' | 'type' | 'status' | 'issuer_id' | 'issuer_number' | 'issued_at' | 'integrity_hold')
  | ('currency' | 'total' | 'derived_amount' | 'payment')
>

/**
 * The documents to which drafts refer. A page of drafts may refer to thousands, and checking a
 * seal takes the whole document, so these rows are not checked: they tell a draft's issuer what to
 * expect, and the issue itself checks them.
 */
export const sourcesById = (db: Queryable, ids: readonly string[]): Promise<SourceRow[]> =>
  db.rows(sql`
    select d.id, d.type, d.status, d.issuer_id, d.issuer_number, d.issued_at, d.integrity_hold,
      d.currency, d.total, d.derived_amount, d.payment
    from documents d where d.id = any(${columnArray('uuid', ids)})`)
