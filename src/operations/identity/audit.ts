/** What people did in the calling organization (contract 12). */
import type { Call } from '../../context.ts'
import { invalidRequest } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { AuditEntry, AuditFilters, AuditPage } from '../../contract/shapes/audit.ts'
import { closestMatch } from '../../core/did-you-mean.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { shortenedText } from '../../core/shortened-text.ts'
import * as store from '../../store/identity/audit-entries.ts'
import { type PersonRow, peopleById } from '../../store/identity/users.ts'
import { lowerBoundOf, upperBoundOf } from '../time-bounds.ts'
import { type Operation, operation } from '../operation.ts'
import { cursorsOf } from '../paging.ts'

/** What an operation does; its id, for one that does not exist any more. */
type SummaryOf = (operation: string) => string

const toEntry = (
  row: store.AuditRow,
  { email, name }: PersonRow,
  summaryOf: SummaryOf,
): AuditEntry => ({
  id: encodeId('aud', row.id),
  seq: Number(row.seq),
  user: { id: encodeId('usr', row.user_id), email, name },
  operation: row.operation,
  summary: summaryOf(row.operation),
  path: row.path,
  resource_id: row.resource_id,
  request_id: encodeId('req', row.request_id),
  address: row.address,
  created_at: row.created_at,
})

export const list = (operations: () => readonly Operation[]): Operation =>
  operation({
    id: 'audit.list',
    method: 'GET',
    path: '/v1/audit',
    family: 'keys',
    summary: 'List what people did, newest first',
    description:
      'Every sign-in, accepted invitation and write of a session, stored in the transaction that did it. The entries are numbered without a gap, so that one that was changed or deleted is noticed. A page may be short although there is a next one.',
    since: '1.16.0',
    allowed: 'admin',
    query: AuditFilters,
    response: AuditPage,
    summaryFields: ['seq', 'user', 'operation', 'resource_id', 'created_at'],
    toolFields: ['seq', 'user.name', 'operation', 'resource_id', 'created_at'],
  }).reads(async (call, { query }) => {
    const summaryOf: SummaryOf = (id) => operations().find((one) => one.id === id)?.summary ?? id
    const { cursor, limit = limits.pageDefault, ...filters } = query
    refuseUnknown(filters.operation ?? [], operations())
    const { id: organization } = call.organization
    const cursors = cursorsOf(call, 'audit', filters)
    const since = filters.since && lowerBoundOf(filters.since)
    const before = cursors.open(cursor)
    const newest = await newestShown(call, { before, until: filters.until })
    const isFiltered = filters.user !== undefined || filters.operation !== undefined
    const range = { newest, limit: isFiltered ? limits.listScanMaxRows : limit }
    const scanned = await store.auditEntriesUpTo(call.read, organization, range)
    const users = filters.user?.map((id) => decodeId('usr', id)!)
    const isWanted = (row: store.AuditRow) =>
      (users === undefined || users.includes(row.user_id)) &&
      (filters.operation === undefined || filters.operation.includes(row.operation)) &&
      (since === undefined || row.created_at >= since)
    const rows = scanned.filter(isWanted).slice(0, limit)
    const last = rows.length === limit ? rows.at(-1) : scanned.at(-1)
    const isLast =
      last === undefined || last.seq === 1n || (since !== undefined && last.created_at < since)
    const next_cursor = cursors.seal(isLast ? null : last.seq)
    const people = await peopleById(
      call.read,
      rows.map(({ user_id }) => user_id),
    )
    const data = rows.map((row) => toEntry(row, people.get(row.user_id)!, summaryOf))
    return { body: { data, next_cursor, has_more: next_cursor !== null } }
  })

/** The number of the newest entry of a page. */
const newestShown = (
  { read, organization }: Call,
  { before, until }: { before: string | undefined; until: string | undefined },
): Promise<bigint> | bigint => {
  if (before !== undefined) return BigInt(before) - 1n
  if (until === undefined) return store.newestSeq(read, organization.id)
  return store.seqAt(read, organization.id, upperBoundOf(until))
}

/** A name that no operation has is a mistake, and no filter that nothing matches (contract 1). */
const refuseUnknown = (names: readonly string[], operations: readonly Operation[]): void => {
  const known = operations.map(({ id }) => id)
  const problems = names
    .filter((name) => !known.includes(name))
    .map((name): Problem => {
      const near = closestMatch(name, known)
      return {
        param: 'operation',
        code: 'invalid_value',
        message: `${JSON.stringify(shortenedText(name))} is not known.`,
        fix: near === undefined ? 'send ids of operations' : `did you mean ${near}?`,
      }
    })
  if (problems.length > 0) throw invalidRequest(problems)
}
