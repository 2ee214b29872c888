/** API keys. Only a MAC of a key is stored. */
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { missingRow } from '../../database/row-seals.ts'
import { changeSealedRows, checkNoneTwice, checkedRows } from '../../database/sealed-rows.ts'
import { insertRows, selectList, unnest } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'
import {
  type PackedOrganization,
  checkKey,
  joinCounters,
  keysWithAccess,
  organizationForUpdate,
  packedOrganization,
  unpackOrganization,
} from './access-versions.ts'
import { checkRowCount } from './row-counts.ts'

export type KeyRow = Rows['keys']
/** A key, and the time at which its status is to be judged. */
export type KeyWithNow = KeyRow & { now: string }

/** The keys `t`; throws BrokenSeal if one of them is not as it was last. */
const currentKeys = async (db: Queryable, rest: SqlQuery): Promise<KeyWithNow[]> => {
  const rows = await db.rows<KeyWithNow & PackedOrganization>(sql`
    select ${selectList('keys', 't')}, ${packedOrganization('o', 'h')},
      pg_catalog.clock_timestamp() as now
    from keys t
    join organizations o on o.id = t.organization_id
    ${joinCounters('o', 'h')} ${rest}`)
  checkNoneTwice('keys', rows)
  return rows.map(({ organization, counters, ...key }) => {
    checkedRows(db, 'keys', [key])
    checkKey(key, unpackOrganization(db.seals, { organization, counters }), key.now)
    return key
  })
}

export const keyById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<KeyWithNow | undefined> =>
  (await currentKeys(db, sql`where t.id = ${id} and t.organization_id = ${organization}`))[0]

/**
 * Locks the organization, its keys that have access, and the root of the rotation chain, under
 * whose lock payments read the key and count.
 */
export const keyForUpdate = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<KeyWithNow | undefined> => {
  await lockKeysWithAccess(
    db,
    organization,
    sql`
    or t.organization_id = ${organization}
      and t.id in (select unnest(array[id, root_id]) from keys where id = ${id})`,
  )
  // A later statement than the locks, so it sees what the previous holders committed.
  return keyById(db, organization, id)
}

/** Payments lock keys in the same order: by id. */
export const lockKeysWithAccess = async (
  db: Queryable,
  organization: string,
  others = sql``,
): Promise<void> => {
  await organizationForUpdate(db, organization)
  await db.rows(sql`
    select t.id from keys t where ${keysWithAccess(organization)} ${others}
    order by t.id for no key update`)
}

export const keysOf = async (
  db: Queryable,
  organization: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<KeyWithNow[]> => {
  const position = before === undefined ? sql`` : sql`and t.id < ${before}`
  const rest = sql`
    where t.organization_id = ${organization} ${position} order by t.id desc limit ${limit}`
  const [keys] = await Promise.all([currentKeys(db, rest), checkRowCount(db, 'keys', organization)])
  return keys
}

/** The users who made the keys of rotation chains, by root; no row of a chain may be gone. */
export const makersOfKeys = async (
  db: Queryable,
  organization: string,
  roots: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (roots.length === 0) return new Map()
  const ofChains = sql`t.root_id = any(${columnArray('uuid', roots)})`
  const keys = await currentKeys(db, sql`where t.organization_id = ${organization} and ${ofChains}`)
  const chains = Map.groupBy(keys, ({ root_id }) => root_id)
  return new Map(
    roots.map((root) => {
      const chain = chains.get(root) ?? []
      checkChain(chain, root)
      return [root, chain.map(({ created_by }) => created_by)]
    }),
  )
}

/** Each key names the one that replaces it, and the service deletes none. */
const checkChain = (keys: readonly KeyRow[], root: string): void => {
  const byId = new Map(keys.map((key) => [key.id, key]))
  let next: string | null = root
  while (next !== null) {
    const key = byId.get(next)
    if (key === undefined) throw missingRow('keys', next)
    next = key.rotated_to_id
  }
}

export const insertKey = (db: Queryable, key: KeyRow): Promise<number> =>
  insertRows(db, 'keys', [key])

export const setRotated = (
  db: Queryable,
  id: string,
  to: string,
  expiresAt: string,
): Promise<KeyRow[]> => {
  const isActive = sql`t.id = ${id} and t.rotated_to_id is null and t.revoked_at is null`
  return changeSealedRows(db, 'keys', isActive, () => ({
    rotated_to_id: to,
    expires_at: expiresAt,
  }))
}

export const setRevoked = (db: Queryable, id: string, at: string): Promise<KeyRow[]> =>
  changeSealedRows(db, 'keys', sql`t.id = ${id} and t.revoked_at is null`, () => ({
    revoked_at: at,
  }))

/** Sets when keys were last used, never back in time. */
export const setLastUsed = (
  db: Queryable,
  used: readonly (readonly [id: string, at: string])[],
): Promise<number> => {
  const ids = used.map(([id]) => id)
  const rows = used.map(([id, at]) => ({ id, at }))
  return db.run(sql`
    with locked as
      (select id from keys where id = any(${columnArray('uuid', ids)}) order by id for no key update)
    update keys k set last_used_at = u.at
    from ${unnest(rows, { id: 'uuid', at: 'timestamptz' })} join locked using (id)
    where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`)
}
