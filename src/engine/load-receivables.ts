/**
 * Loads what decides whether an invoice is the same receivable as a pledged one (domain 5.6). It is
 * read under the lock on the issuer's counters. Whoever credits, cancels, pledges or releases an
 * invoice of the issuer takes that lock, so what was read still holds when the write is decided.
 */
import {
  type InheritedInvoice,
  inheritedInvoices,
  listedFingerprints,
  receivableChain,
} from '../store/finance/receivables.ts'
import { fingerprintsOfAll, isReplaced } from '../core/finance/twins.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import { type Connection, sql } from '../database/sql.ts'
import { rowsWhere } from '../database/table-writes.ts'
import type { WorkingSet } from './unit-of-work.ts'
import { MoreRowsNeeded } from './write-request.ts'

/** A pledged invoice, with its agreement. */
export interface Heir {
  agreement: string
  invoice: string
}

export interface LoadedReceivable {
  /** For the invoice and those that it replaces; undefined if these are too many. */
  fingerprints: readonly string[] | undefined
  /** Pledged invoices that have inherited one of the fingerprints since they were pledged. */
  heirs: readonly Heir[]
  /** The documents that this is derived from. */
  from: readonly string[]
}

/** Call it after all locking statements have been sent. */
export const readReceivables = async (db: Connection, invoices: readonly string[]) => {
  const all = await Promise.all(invoices.map((invoice) => readReceivable(db, invoice)))
  return (set: WorkingSet): void => {
    for (const { invoice, receivable, documents, pledges, lost } of all) {
      set.addLoaded('documents', documents)
      set.addLoaded('finance_pledges', pledges)
      for (const row of lost) {
        const { document_id: id } = row
        const error = new BrokenSeal('finance_pledges', `of ${id}`, 'the row is gone')
        set.broken.mark('finance_pledges', id, { error, row })
      }
      set.receivables.set(invoice, receivable)
    }
  }
}

const readReceivable = async (db: Connection, invoice: string) => {
  const [chain, listed] = await Promise.all([
    receivableChain(db, invoice),
    listedFingerprints(db, invoice),
  ])
  const isSealed = (row: Rows['documents']) => db.seals.holds('documents', row)
  if (chain === undefined || chain.length === 0 || !chain.every(isSealed)) {
    const from = (chain ?? []).map(({ id }) => id)
    const receivable = { fingerprints: chain && [], heirs: [], from }
    return { invoice, receivable, documents: chain ?? [], pledges: [], lost: [] }
  }
  const fingerprints = [...new Set([...fingerprintsOfAll(chain), ...listed])]
  // One that is not as it was sealed stays among them, so that the decision fails.
  const inherited = (await inheritedInvoices(db, chain)).filter(
    (one) =>
      !isSealed(one) ||
      fingerprintsOfAll([one]).some((fingerprint) => fingerprints.includes(fingerprint)),
  )
  const heirs = inherited.map(({ agreement, pledged }): Heir => ({ agreement, invoice: pledged }))
  const [pledged, pledges, lost] = await Promise.all([
    rowsWhere(db, 'documents', sql`id = any(${columnArray('uuid', idsOf(heirs, 'invoice'))})`),
    rowsWhere(
      db,
      'finance_pledges',
      sql`is_active and (mode = ${chain[0]!.mode}
        and fingerprint = any(${columnArray('text', fingerprints)})
        or agreement_id = any(${columnArray('uuid', idsOf(heirs, 'agreement'))}))`,
    ),
    lostPledges(db, fingerprints),
  ])
  const documents = [...chain, ...inherited.map(documentOf), ...pledged]
  const receivable = { fingerprints, heirs, from: documents.map(({ id }) => id) }
  return { invoice, receivable, documents, pledges, lost }
}

const idsOf = (heirs: readonly Heir[], kind: keyof Heir): string[] => [
  ...new Set(heirs.map((heir) => heir[kind])),
]

const documentOf = ({
  agreement: _agreement,
  pledged: _pledged,
  ...document
}: InheritedInvoice): Rows['documents'] => document

/**
 * What was loaded of the invoice. Makes the decision again in the next batch if an earlier write of
 * this one has credited, cancelled or rejected an invoice of the same issuer.
 */
export const currentReceivable = (set: WorkingSet, invoice: string): LoadedReceivable => {
  const receivable = set.receivables.get(invoice)!
  for (const id of receivable.from) set.broken.check('documents', id)
  const { documents: loaded } = set.loaded
  const issuer = loaded.get(invoice)?.issuer_id
  const replaced = set.savedRows('documents').filter((saved) => {
    const before = loaded.get(saved.id)
    const isNew = before !== undefined && !isReplaced(before) && isReplaced(saved)
    return isNew && saved.issuer_id === issuer && saved.id !== invoice
  })
  if (replaced.length > 0) throw new MoreRowsNeeded({ documents: replaced.map(({ id }) => id) })
  return receivable
}

type LostPledge = Pick<Rows['finance_pledges'], 'document_id' | 'fingerprint'>

/**
 * Invoices with one of these fingerprints that say they are pledged, without a row of the pledge.
 * What a borrower pledged before it reset its sandbox is released.
 */
const lostPledges = (db: Connection, fingerprints: readonly string[]): Promise<LostPledge[]> =>
  db.rows(sql`
    select d.id as document_id, l.fingerprint from finance_listings l join documents d on d.id = l.document_id
    join organizations o on o.id = l.borrower_id
    where l.status = 'matched' and l.fingerprint = any(${columnArray('text', fingerprints)})
      and l.created_at > coalesce(o.reset_at, '-infinity')
      and d.finance ~ '"status":"(recorded|assigned)"'
      and not exists (select 1 from finance_pledges p
        where p.document_id = d.id and p.fingerprint = l.fingerprint and p.is_active)`)
