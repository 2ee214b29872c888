/**
 * The audit log of an organization. Its entries are numbered without a gap, and the trail has their
 * number, so that neither can be changed or deleted unnoticed.
 */
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { BrokenSeal, missingRow, oldRow } from '../../database/row-seals.ts'
import { changeSealedRows, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { newId } from '../../database/new-ids.ts'
import { insertRows, sendNewRows } from '../../database/table-writes.ts'
import { databaseNow } from '../../database/database-clock.ts'

export type AuditRow = Rows['audit_entries']
export type NewAuditEntry = Omit<AuditRow, 'id' | 'seq' | 'seal' | 'created_at'>

/**
 * Throws BrokenSeal unless the trail is as it was sealed, and the last one: an old trail, or none,
 * would hide the entries that have followed. Both are of one snapshot.
 */
const entryCount = async (db: Queryable, organization: string): Promise<bigint> => {
  const found = await db.row<{ trail: string; has_later: boolean }>(sql`
    select ${packedRow('audit_trails', 't')} as trail, exists (select 1 from audit_entries e
      where e.organization_id = o.id and e.seq > coalesce(t.entries, 0)) as has_later
    from organizations o left join audit_trails t on t.organization_id = o.id
    where o.id = ${organization}`)
  if (found === undefined) return 0n
  const { trail, has_later } = found
  const entries = trail === '' ? 0n : unpackRow(db.seals, 'audit_trails', trail).entries
  if (!has_later) return entries
  if (entries > 0n) throw oldRow('audit_trails', organization)
  throw missingRow('audit_trails', organization)
}

/**
 * Locks the trails, after every other row of the transaction. Returns those of which the trail is
 * not as it was sealed, each with the error.
 */
export const lockTrails = async (
  tx: Queryable,
  organizations: Iterable<string>,
): Promise<ReadonlyMap<string, BrokenSeal>> => {
  const obstacles = new Map<string, BrokenSeal>()
  for (const organization of [...new Set(organizations)].toSorted()) {
    const row = { organization_id: organization, entries: 0n }
    await sendNewRows(tx, 'audit_trails', [row], sql`on conflict do nothing`)
    await tx.rows(sql`
      select 1 from audit_trails where organization_id = ${organization} for no key update`)
    const obstacle = await obstacleOf(tx, organization)
    if (obstacle !== undefined) obstacles.set(organization, obstacle)
  }
  return obstacles
}

const obstacleOf = async (tx: Queryable, organization: string) => {
  try {
    await entryCount(tx, organization)
    return undefined
  } catch (error) {
    if (error instanceof BrokenSeal) return error
    throw error
  }
}

/** Appends entries of organizations whose trails are locked. */
export const appendAuditEntries = async (
  tx: Queryable,
  entries: readonly NewAuditEntry[],
  at: string,
): Promise<void> => {
  for (const [organization, own] of Map.groupBy(entries, (entry) => entry.organization_id)) {
    const condition = sql`t.organization_id = ${organization}`
    const [trail] = await changeSealedRows(tx, 'audit_trails', condition, ({ entries: count }) => ({
      entries: count + BigInt(own.length),
    }))
    const first = trail!.entries - BigInt(own.length) + 1n
    const rows = own.map((entry, i) => ({
      id: newId(),
      seq: first + BigInt(i),
      created_at: at,
      ...entry,
    }))
    await insertRows(tx, 'audit_entries', rows)
  }
}

/** In a transaction that has nothing else left to do. */
export const appendAuditEntry = async (tx: Queryable, entry: NewAuditEntry): Promise<void> => {
  const at = await databaseNow(tx)
  const obstacle = (await lockTrails(tx, [entry.organization_id])).get(entry.organization_id)
  if (obstacle !== undefined) throw obstacle
  await appendAuditEntries(tx, [entry], at)
}

/**
 * The entries up to this seq, the newest first. Throws BrokenSeal if one was changed or is missing.
 */
export const auditEntriesUpTo = async (
  db: Queryable,
  organization: string,
  { newest, limit }: { newest: bigint; limit: number },
): Promise<AuditRow[]> => {
  const rows = await sealedRows(
    db,
    'audit_entries',
    sql`where t.organization_id = ${organization} and t.seq <= ${newest}
      order by t.seq desc limit ${limit}`,
  )
  const expected = newest < BigInt(limit) ? Number(newest) : limit
  const isWhole = rows.every(({ seq }, i) => seq === newest - BigInt(i))
  if (isWhole && rows.length === expected) return rows
  throw entryIsGone({ organization_id: organization })
}

/** The seq of the newest entry; 0 without any. */
export const newestSeq: (db: Queryable, organization: string) => Promise<bigint> = entryCount

/** The seq of the newest entry at or before this time; 0 without any. */
export const seqAt = async (db: Queryable, organization: string, time: string): Promise<bigint> => {
  const found = await db.row<{ seq: bigint }>(sql`
    select seq from audit_entries where organization_id = ${organization} and created_at <= ${time}
    order by seq desc limit 1`)
  return found?.seq ?? 0n
}

/** An error for each of these trails whose newest entry is gone. */
export const goneNewestEntries = async (
  db: Queryable,
  trails: readonly Rows['audit_trails'][],
): Promise<BrokenSeal[]> => {
  const ids = trails.map(({ organization_id }) => organization_id)
  const gone = await db.rows<OfOrganization>(sql`
    select t.organization_id from audit_trails t
    where t.organization_id = any(${columnArray('uuid', ids)}) and t.entries > 0
      and not exists (select from audit_entries e
        where e.organization_id = t.organization_id and e.seq = t.entries)`)
  return gone.map(entryIsGone)
}

/** Errors where the entry before one of these is gone, or the trail does not count one of them. */
export const goneBesideEntries = async (
  db: Queryable,
  entries: readonly AuditRow[],
): Promise<BrokenSeal[]> => {
  const ids = entries.map(({ id }) => id)
  const found = await db.rows<OfOrganization & { is_counted: boolean; has_previous: boolean }>(sql`
    select distinct e.organization_id,
      exists (select from audit_trails t
        where t.organization_id = e.organization_id and t.entries >= e.seq) as is_counted,
      e.seq = 1 or exists (select from audit_entries p
        where p.organization_id = e.organization_id and p.seq = e.seq - 1) as has_previous
    from audit_entries e where e.id = any(${columnArray('uuid', ids)})`)
  return [
    ...found.filter(({ has_previous }) => !has_previous).map(entryIsGone),
    ...found.filter(({ is_counted }) => !is_counted).map(trailIsGone),
  ]
}

interface OfOrganization {
  organization_id: string
}

const entryIsGone = ({ organization_id }: OfOrganization): BrokenSeal =>
  new BrokenSeal('audit_entries', organization_id, 'an entry is gone')

const trailIsGone = ({ organization_id }: OfOrganization): BrokenSeal =>
  new BrokenSeal('audit_trails', organization_id, 'the row is gone, or an old row has come back')
