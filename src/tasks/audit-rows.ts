/**
 * The auditor of rows. It checks the seals of all rows, table by table in the order of their keys,
 * that no posting is missing in the chain of its account, no row of those that its organization
 * counts, no entry of an audit log, and no comment that one of them names: what no history covers
 * would be found only when somebody uses it. Events and stored responses are left out, which expire
 * within weeks and are checked whenever they are shown (docs/decisions/0208).
 *
 * Its progress is in the memory of the process, which begins again when it starts: whoever writes
 * to the database cannot lead it past a row, and all rows take minutes.
 */
import {
  failureOfSeals,
  hasNewServerKey,
  raiseIntegrityAlarm,
} from '../changes/provenance/integrity-failure.ts'
import { goneComments } from '../changes/provenance/gone-comments.ts'
import { limits } from '../contract/limits.ts'
import type { Context } from '../context.ts'
import { isOutage } from '../database/outages.ts'
import { type BrokenSeal, textlessTables } from '../database/row-seals.ts'
import { brokenRows, rowsInOrder } from '../database/sealed-rows.ts'
import type { Rows } from '../database/rows.ts'
import { brokenPostings, goneRows } from '../store/provenance/audited-rows.ts'
import { setIntegrityHold } from '../store/provenance/transparency-log.ts'
import { RowAlarms } from './row-alarms.ts'
import type { Task } from './runner.ts'

type AuditedTable = (typeof textlessTables)[number]

interface Progress {
  /** When this round over all tables began, by the clock of `performance`. */
  beganAt: number
  /** The place of the table among those that are audited. */
  table: number
  /** The last row of it that was checked; undefined before the first. */
  after: Rows[AuditedTable] | undefined
  /** Something in this round could not be read. */
  isIncomplete: boolean
  alarms: RowAlarms
}

const firstProgress = (): Omit<Progress, 'alarms'> => ({
  beganAt: performance.now(),
  table: 0,
  after: undefined,
  isIncomplete: false,
})

const progressOf = new WeakMap<Context, Progress>()

export const auditRows: Task = {
  name: 'audit-rows',
  everyMs: limits.auditEveryMs,
  runsWhenRolledBack: true,
  run: async (context) => {
    const progress = progressOf.get(context) ?? { ...firstProgress(), alarms: new RowAlarms() }
    progressOf.set(context, progress)
    warnIfOverdue(context, progress)
    const endsAt = performance.now() + limits.auditRowsRoundMaxMs
    while (performance.now() < endsAt) {
      await auditNextRows(context, progress)
      if (progress.table < textlessTables.length) continue
      endRound(progress)
      break
    }
    return false
  },
}

/** A round that has missed something does not count: otherwise nobody would learn of it. */
const endRound = (progress: Progress): void => {
  const { beganAt, isIncomplete } = progress
  Object.assign(progress, firstProgress(), isIncomplete ? { beganAt } : {})
}

const warnIfOverdue = ({ log, metrics }: Context, { beganAt }: Progress): void => {
  if (performance.now() - beganAt < limits.auditAllMaxMs) return
  metrics.count('docex_row_audits_overdue_total')
  log.error({}, 'row_audit_overdue')
}

/** After the last rows of a table, or if it cannot be read, the next one has its turn. */
const auditNextRows = async (context: Context, progress: Progress): Promise<void> => {
  const table = textlessTables[progress.table]!
  try {
    const rows = await auditSome(context, progress, table)
    progress.after = rows.at(-1)
    if (rows.length >= rowsAtOnce(table)) return
  } catch (error) {
    if (isOutage(error)) throw error
    context.metrics.count('docex_rows_not_audited_total')
    context.log.error({ error, table }, 'rows_not_audited')
    progress.isIncomplete = true
  }
  progress.after = undefined
  progress.table += 1
  const count = progress.alarms.takeOthersDue(table)
  if (count > 0) await raiseIntegrityAlarm(context, failureOfSeals(table, count))
}

/** A document may have a megabyte of content, and the process does nothing else while it checks. */
const rowsAtOnce = (table: AuditedTable): number =>
  table === 'documents' ? limits.auditDocumentsAtOnce : limits.auditRowsAtOnce

const auditSome = async (
  context: Context,
  progress: Progress,
  table: AuditedTable,
): Promise<Rows[AuditedTable][]> => {
  const db = context.database.background
  const { after } = progress
  const rows = await rowsInOrder(db, table, { after, limit: rowsAtOnce(table) })
  const unsealed = brokenRows(db, table, rows)
  const broken = [
    ...unsealed,
    ...(await brokenPostings(db, table, rows)),
    ...(await goneRows(db, table, rows)),
    ...(await goneCommentsOf(context, table, { rows, unsealed })),
  ]
  // They may be sealed under a key of which the process has not heard yet.
  if (broken.length > 0 && (await hasNewServerKey(context)))
    return auditSome(context, progress, table)
  await report(context, progress, { table, broken })
  context.metrics.count('docex_audited_rows_total', undefined, rows.length)
  return rows
}

/** What the audit log names; a false entry of it names nothing. */
const goneCommentsOf = async (
  context: Context,
  table: AuditedTable,
  { rows, unsealed }: { rows: readonly object[]; unsealed: readonly BrokenSeal[] },
): Promise<BrokenSeal[]> => {
  if (table !== 'audit_entries') return []
  const db = context.database.background
  const isTrue = (row: object) => unsealed.length === 0 || brokenRows(db, table, [row]).length === 0
  const entries = rows.filter(isTrue)
  return goneComments(db, context, entries as Rows['audit_entries'][])
}

/** A false document is put on hold even if it gets no alarm of its own. */
const report = async (
  context: Context,
  { alarms }: Progress,
  { table, broken }: { table: AuditedTable; broken: readonly BrokenSeal[] },
): Promise<void> => {
  if (table === 'documents' && broken.length > 0) {
    const ids = broken.map(({ id }) => id)
    await setIntegrityHold(context.database.background, ids)
  }
  for (const error of broken) {
    if (alarms.isDue(table, error)) await context.refuseBrokenSeal(error)
  }
}
