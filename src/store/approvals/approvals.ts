/** Approvals of an organization (contract 12). */
import { approvalLimits } from '../../contract/approval-limits.ts'
import type { ApprovalStatus } from '../../contract/approvals.ts'
import type { ApprovalRow } from '../../core/approvals/approval-decisions.ts'
import type { RequestState } from '../../core/approvals/waiting-calls.ts'
import { encodeId } from '../../core/ids.ts'
import { countOf } from '../../database/counts.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { updateRows } from '../../database/table-writes.ts'
import { makersOfKeys } from '../identity/keys.ts'
import { currentApprovals } from './approval-versions.ts'

/** By an organization; one approval lasts a day. */
export const approvalsAskedToday = (db: Queryable, organization: string): Promise<number> =>
  countOf(
    db,
    sql`
    select count(*) as count from approvals
    where organization_id = ${organization} and expires_at > pg_catalog.clock_timestamp()`,
  )

/** Throws BrokenSeal for an old row. */
export const approvalById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<ApprovalRow | undefined> =>
  (await currentApprovals(db, organization, sql`and t.id = ${id}`))[0]

/** The same, by the request that asked for it. */
export const approvalOfRequest = async (
  db: Queryable,
  organization: string,
  requestKey: string,
): Promise<ApprovalRow | undefined> =>
  (await currentApprovals(db, organization, sql`and t.request_key = ${requestKey}`))[0]

export const approvalForUpdate = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<ApprovalRow | undefined> => {
  await db.rows(sql`select id from approvals where id = ${id} for no key update`)
  // A later statement than the lock, so it sees what the previous holder committed.
  return approvalById(db, organization, id)
}

/** Who made the keys that asked for these approvals of an organization, by approval. */
export const keyMakersOf = async (
  db: Queryable,
  organization: string,
  rows: readonly ApprovalRow[],
): Promise<(row: ApprovalRow) => readonly string[]> => {
  const roots = rows.flatMap(({ key_root_id: root }) => (root === null ? [] : [root]))
  const makers = await makersOfKeys(db, organization, roots)
  return ({ key_root_id: root }) => (root === null ? [] : makers.get(root)!)
}

/** The condition on `t` for what was asked of either side about a move of the document. */
export const approvalsAbout = (
  document: Pick<Rows['documents'], 'id' | 'issuer_id' | 'counterparty_id'>,
): SqlQuery => {
  const { id, issuer_id, counterparty_id } = document
  const subject = `"document":{"id":"${encodeId('doc', id)}"`
  return sql`t.organization_id in (${issuer_id}, ${counterparty_id})
    and strpos(t.statement, ${subject}) > 0`
}

export const saveDecision = (db: Queryable, row: ApprovalRow): Promise<number> =>
  updateRows(db, 'approvals', {
    key: ['id'],
    set: ['status', 'decisions', 'ended_at'],
    rows: [row],
  })

/** Whether the state works: only once, and only within its time. */
export const consumeRequestState = async (
  db: Queryable,
  organization: string,
  { approval, madeAt }: RequestState,
): Promise<boolean> => {
  const oldest = sql`pg_catalog.clock_timestamp()
    - ${approvalLimits.requestStateLifetimeMs} * interval '1 ms'`
  const consumed = await db.run(sql`
    update approvals set last_state_at = ${madeAt}
    where id = ${approval} and organization_id = ${organization} and ${madeAt} > ${oldest}
      and (last_state_at is null or last_state_at < ${madeAt})`)
  return consumed === 1
}

export interface ApprovalFilters {
  organization: string
  /** Only those that this rotation chain has asked for. */
  keyRoot: string | undefined
  statuses: readonly ApprovalStatus[] | undefined
  before: string | undefined
  limit: number
}

/** Newest first. Throws BrokenSeal for an old row. */
export const approvalsOf = (
  db: Queryable,
  { organization, keyRoot, statuses, before, limit }: ApprovalFilters,
): Promise<ApprovalRow[]> => {
  const asked = keyRoot === undefined ? sql`` : sql`and t.key_root_id = ${keyRoot}`
  const earlier = before === undefined ? sql`` : sql`and t.id < ${before}`
  const wanted = statuses === undefined ? sql`` : sql`and (${anyStatus(statuses)})`
  const rest = sql`${asked} ${earlier} ${wanted} order by t.id desc limit ${limit}`
  return currentApprovals(db, organization, rest)
}

const anyStatus = (statuses: readonly ApprovalStatus[]): SqlQuery =>
  statuses.map(hasStatus).reduce((all, one) => sql`${all} or ${one}`)

const hasStatus = (status: ApprovalStatus): SqlQuery => {
  if (status === 'expired')
    return sql`t.status in ('pending', 'approved') and t.expires_at <= pg_catalog.clock_timestamp()`
  const isOpen = status === 'pending' || status === 'approved'
  const isInTime = sql`and t.expires_at > pg_catalog.clock_timestamp()`
  return sql`t.status = ${status} ${isOpen ? isInTime : sql``}`
}

export const purgeApprovals = (db: Queryable, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from approvals where id in
      (select id from approvals where expires_at < ${before} limit ${limit})`)
