/**
 * Loads what decides whether invoices are the same receivables as pledged ones (domain 5.6). It is
 * read under the lock on the issuer's counters. Whoever credits, cancels, pledges or releases an
 * invoice of the issuer takes that lock, so what was read still holds when the write is decided.
 */
import { limits } from '../contract/limits.ts'
import {
  type ChainedInvoice,
  type InheritedInvoice,
  inheritedInvoices,
  listedFingerprints,
  lostPledges,
  receivableChains,
} from '../store/finance/receivables.ts'
import { fingerprintsOfAll, isReplaced } from '../core/finance/twins.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { missingRow } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import { type Connection, sql } from '../database/sql.ts'
import { rowsWhere } from '../database/table-writes.ts'
import type { Heir, LoadedReceivable, WorkingSet } from './working-set.ts'
import { MoreRowsNeeded } from './rows-to-lock.ts'

/** Call it after all locking statements have been sent. It sends none that can find nothing. */
export const readReceivables = async (db: Connection, invoices: readonly string[]) => {
  if (invoices.length === 0) return () => {}
  const chains = await readChains(db, invoices)
  const compared = chains.filter(({ fingerprints }) => fingerprints?.length)
  const inherited = await readInherited(db, compared)
  const pledges = compared.length === 0 ? undefined : await readPledges(db, compared, inherited)
  return (set: WorkingSet): void => {
    set.addLoaded(
      'documents',
      [...chains.flatMap(({ rows }) => rows), ...inherited].map(documentOf),
    )
    for (const { invoice, rows, fingerprints } of chains) {
      const heirs = inherited.filter(({ root }) => root === invoice)
      const from = [...rows, ...heirs].map(({ id }) => id)
      set.receivables.set(invoice, {
        fingerprints,
        heirs: heirs.map(({ agreement, pledged }): Heir => ({ agreement, invoice: pledged })),
        from: [...from, ...heirs.map(({ pledged }) => pledged)],
      })
    }
    pledges?.(set)
  }
}

/** An invoice and what it replaces. */
interface Chain extends Pick<LoadedReceivable, 'fingerprints'> {
  invoice: string
  /** Its own first. */
  rows: readonly ChainedInvoice[]
}

const readChains = async (db: Connection, invoices: readonly string[]): Promise<Chain[]> => {
  const [chained, listed] = await Promise.all([
    receivableChains(db, invoices),
    listedFingerprints(db, invoices),
  ])
  const chainsByInvoice = Map.groupBy(chained, ({ root }) => root)
  return invoices.map((invoice): Chain => {
    const rows = chainsByInvoice.get(invoice) ?? []
    if (rows.length > limits.replacedInvoicesMax + 1) {
      return { invoice, rows: [], fingerprints: undefined }
    }
    // One that is not as it was sealed fails the decision.
    if (!rows.every((row) => isSealed(db, row))) return { invoice, rows, fingerprints: [] }
    const ownFirst = rows.toSorted((a, b) => Number(b.id === invoice) - Number(a.id === invoice))
    const ofListing = listed.filter(({ document_id }) => document_id === invoice)
    const fingerprints = [
      ...fingerprintsOfAll(ownFirst),
      ...ofListing.map(({ fingerprint }) => fingerprint),
    ]
    return { invoice, rows: ownFirst, fingerprints: [...new Set(fingerprints)] }
  })
}

const isSealed = (db: Connection, row: Rows['documents']): boolean =>
  db.seals.holds('documents', row)

const readInherited = async (
  db: Connection,
  compared: readonly Chain[],
): Promise<InheritedInvoice[]> => {
  if (compared.length === 0) return []
  const found = await inheritedInvoices(
    db,
    compared.flatMap(({ rows }) => rows),
  )
  const fingerprintsByInvoice = new Map(
    compared.map(({ invoice, fingerprints }) => [invoice, new Set(fingerprints)]),
  )
  // One that is not as it was sealed stays among them, so that the decision fails.
  return found.filter(
    (one) =>
      !isSealed(db, one) ||
      fingerprintsOfAll([one]).some((text) => fingerprintsByInvoice.get(one.root)!.has(text)),
  )
}

/** Pledges with one of the fingerprints, and pledged invoices that have inherited one. */
const readPledges = async (
  db: Connection,
  compared: readonly Chain[],
  inherited: readonly InheritedInvoice[],
) => {
  const fingerprints = [...new Set(compared.flatMap((chain) => chain.fingerprints ?? []))]
  const modes = [...new Set(compared.flatMap(({ rows }) => rows.map(({ mode }) => mode)))]
  const heirs = [...new Set(inherited.map(({ pledged }) => pledged))]
  const agreements = [...new Set(inherited.map(({ agreement }) => agreement))]
  const [documents, pledges, lost] = await Promise.all([
    heirs.length === 0
      ? []
      : rowsWhere(db, 'documents', sql`id = any(${columnArray('uuid', heirs)})`),
    rowsWhere(
      db,
      'finance_pledges',
      sql`is_active and (mode = any(${columnArray('text', modes)})
        and fingerprint = any(${columnArray('text', fingerprints)})
        or agreement_id = any(${columnArray('uuid', agreements)}))`,
    ),
    lostPledges(db, fingerprints),
  ])
  return (set: WorkingSet): void => {
    set.addLoaded('documents', documents)
    set.addLoaded('finance_pledges', pledges)
    for (const row of lost) {
      const { document_id: id } = row
      const error = missingRow('finance_pledges', `of ${id}`)
      set.broken.mark('finance_pledges', id, { error, row })
    }
  }
}

/** Without what it was found by. */
const documentOf = ({
  root: _root,
  agreement: _agreement,
  pledged: _pledged,
  ...document
}: ChainedInvoice & Partial<InheritedInvoice>): Rows['documents'] => document

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
